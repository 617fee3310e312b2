/** Completion: scripts that ask the program itself, so that they never know less than it. */
import { commands } from "../generated-commands.ts";
import { accountCommands } from "./account-commands.ts";
import { usageFailure } from "./failure.ts";
import { commonOptions, operationOptions, parameterOptions } from "./operation.ts";
import type { Option } from "./options.ts";

const scripts = {
  bash: `_pdf_service() {
  local IFS=$'\\n'
  COMPREPLY=($(pdf-service __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F _pdf_service pdf-service
`,
  zsh: `#compdef pdf-service
_pdf_service() {
  local -a found
  found=("\${(@f)$(pdf-service __complete zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then
    _describe 'pdf-service' found
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _pdf-service ]]; then
  _pdf_service "$@"
else
  compdef _pdf_service pdf-service
fi
`,
  fish: `function __pdf_service_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l found (pdf-service __complete fish $before[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    string join \\n -- $found
  else
    __fish_complete_path "$current"
  end
end
complete -c pdf-service -f -a '(__pdf_service_complete)'
`,
} as const;

export function completionScript(shell: string | undefined): string {
  const script = Object.entries(scripts).find(([name]) => name === shell)?.[1];
  if (script === undefined) throw usageFailure("completion needs the name of a shell: bash, zsh, or fish.");
  return script;
}

interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** What the last word can become, as the shell expects it; nothing where that is the path of a file. */
export function completions([shell = "", ...words]: readonly string[]): string {
  // bash takes `=` as a word of its own.
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (shell === "bash" && last?.startsWith("--") === true && (word === "=" || last.endsWith("="))) {
      joined[joined.length - 1] = last + word;
    } else joined.push(word);
  }
  const current = joined.pop() ?? "";
  const lines = candidates(joined, current).map(({ word, description }) => {
    const short = (description.replaceAll("`", "").split(/(?<=[.:])\s/)[0] ?? "").replaceAll(/\s+/g, " ");
    if (shell === "fish") return `${word}\t${short}`;
    if (shell === "zsh") return `${word.replaceAll(":", "\\:")}:${short}`;
    // Of `--mode=pages`, bash replaces what follows the sign.
    return current.startsWith("--") && current.includes("=") ? word.slice(word.indexOf("=") + 1) : word;
  });
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function candidates(before: readonly string[], current: string): readonly Candidate[] {
  const names = [...commands, ...accountCommands].map(({ name, summary }) => ({ word: name, description: summary }));
  const [name] = before;
  const starting = (all: readonly Candidate[]): Candidate[] => all.filter(({ word }) => word.startsWith(current));
  if (name === undefined) return starting([...names, ...shown(commonOptions)]);
  const account = accountCommands.find((command) => command.name === name);
  const then = before.lastIndexOf("--then");
  const operation = commands.find((command) => command.name === (then > 0 ? before[then + 1] : name));
  const own = operation ? parameterOptions(operation) : [];
  const options = account
    ? [...account.options, ...commonOptions]
    : [...own, ...operationOptions.filter((option) => !own.some((other) => other.name === option.name))];
  const last = before.at(-1) ?? "";
  if (last === "--then")
    return starting(names.filter(({ word }) => commands.some((one) => one.name === word && one.takesPdf)));
  const values = valuesOf(last, options);
  if (values !== undefined) return starting(values.map((word) => ({ word, description: "" })));
  const equals = current.indexOf("=");
  if (equals > 0) {
    const typed = current.slice(0, equals);
    return starting((valuesOf(typed, options) ?? []).map((value) => ({ word: `${typed}=${value}`, description: "" })));
  }
  if (current.startsWith("-")) return starting(shown(options));
  if (account && before.length === 1) return starting(account.verbs.map((word) => ({ word, description: "" })));
  return [];
}

const shown = (options: readonly Option[]): Candidate[] =>
  options.map(({ name, description }) => ({ word: `--${name.replace("{N}", "0")}`, description }));

/** The values of an option that has few; none for a path or a text. */
function valuesOf(typed: string, options: readonly Option[]): readonly string[] | undefined {
  const option = options.find(({ name, short }) => typed === `--${name}` || typed === `-${short ?? ""}`);
  return option?.kind === "value" ? (option.values ?? []) : undefined;
}
