/** Help for the whole program and for each command. */
import { commands } from "../generated-commands.ts";
import type { Command } from "./command.ts";
import { accountCommands, type AccountCommand } from "./account-commands.ts";
import { exitCodes } from "./failure.ts";
import { commonOptions, mainOf, operationOptions, parameterOptions } from "./operation.ts";
import { commandLine, definitions, WIDTH, wrapped } from "./layout.ts";
import { kebab, type Option, withoutMarksOfValues } from "./options.ts";

const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, "success"],
  [exitCodes.failure, "the service failed, or an error that no other code fits"],
  [exitCodes.usage, "an unknown command or option, or a parameter that the service refuses"],
  [exitCodes.access, "no API key, a wrong one, or one that may not do this"],
  [exitCodes.document, "the document was refused: damaged, encrypted, too large, or of another format"],
  [exitCodes.quota, "too many requests, or no credits left"],
  [exitCodes.unavailable, "the service cannot be reached, or is overloaded"],
  [exitCodes.file, "a file cannot be read or written"],
  [exitCodes.partial, "the result was written without pages that failed"],
  [exitCodes.nonconforming, "validate has written its report: the document does not conform"],
  [exitCodes.interrupted, "interrupted (Ctrl-C); a running job was canceled"],
  [exitCodes.closed, "standard output was closed before all was written"],
];

export function generalHelp(): string {
  return `Usage: pdf-service <command> [arguments] [options]

Operations
${definitions(commands.map(({ name, summary }) => [name, summary]))}
Files, jobs, and the account
${definitions(accountCommands.map(({ name, summary }) => [name, summary]))}
Options
${optionTable(commonOptions)}
A result becomes a file in this folder, named after its input; -o chooses
another place, and -o - standard output. Inputs are files, patterns such as
'scans/*.pdf', - for standard input, IDs of stored files (file_...), or https
URLs. Text that begins with @ is read from that file. --then OPERATION runs a
further operation on the PDF of the one before, in the same request.

The API key is in the environment variable PDF_SERVICE_KEY, or in a config file
that pdf-service login writes.

Examples
  pdf-service merge a.pdf b.pdf -o out.pdf
  pdf-service ocr scan.pdf --output pdf -o -
  pdf-service compress 'scans/*.pdf' -o small/
  pdf-service ocr scan.pdf --languages deu --then compress --then protect \\
    --user-password @password.txt

Exit codes
${definitions(EXIT_CODES.map(([code, meaning]) => [String(code), meaning]))}
Help for a command: pdf-service <command> --help
`;
}

export function commandHelp(command: Command): string {
  const main = mainOf(command);
  const operand = main === undefined ? "" : main.isList ? " FILE..." : " FILE";
  const examples = examplesOf(command).map(commandLine);
  const own = parameterOptions(command);
  const general = operationOptions.filter(({ name }) => !own.some((option) => option.name === name));
  return `Usage: pdf-service ${command.name}${operand} [options]

${command.summary}.

${asOptions(command.description, command)}

${main === undefined ? "" : `${asOptions(`FILE: ${main.description}${main.isList ? "" : " Several are processed one by one."}`, command)}\n\n`}Parameters
${optionTable(own.map((option) => ({ ...option, description: asOptions(option.description, command) })))}
Options
${optionTable(general)}
Examples
${examples.join("")}`;
}

export function accountHelp({ usage, summary, options, examples }: AccountCommand): string {
  return `Usage:
${usage.map((line) => `  pdf-service ${line}\n`).join("")}
${summary}.

Options
${optionTable([...options, ...commonOptions])}
Examples
${examples.map((line) => commandLine(["pdf-service", ...line.split(" ")])).join("")}`;
}

/** The words of the description's example, as typed and in a pipe. */
function examplesOf(command: Command): readonly (readonly string[])[] {
  const main = mainOf(command);
  const pattern = new RegExp(`^${(main?.field ?? "file").replace("{N}", "\\d+")}$`);
  const entries = Object.entries(command.example);
  const files = entries.filter(([name]) => pattern.test(name)).map(([, file]) => quoted(file));
  const options = entries
    .filter(([name]) => !pattern.test(name))
    .flatMap(([name, value]) => {
      const kind = command.parameters.find(({ field }) => field === name)?.kind;
      if (kind === "boolean") return [`--${kebab(name)}${value === "true" ? "" : "=false"}`];
      const isLong = kind === "json" && value.length > WIDTH - 10;
      return [`--${kebab(name)}`, quoted(isLong ? JSON.stringify(JSON.parse(value), undefined, 2) : value)];
    });
  const [first = "letter.pdf", ...others] = files;
  const start = ["pdf-service", command.name];
  return [
    [...start, ...files, ...options],
    ["cat", first, "|", ...start, "-", ...others, ...options, "-o", "-", ">", "result"],
  ];
}

const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Markdown as plain text, in which parameters are options. */
function asOptions(text: string, { parameters }: Command): string {
  const plain = withoutMarksOfValues(text, parameters).replaceAll(/`([^`]*)`/g, (_, code: string) => {
    const isParameter = parameters.some(({ field, kind }) => field === code && kind !== "file");
    return isParameter ? `--${kebab(code)}` : code;
  });
  return plain
    .split(/\n{2,}/)
    .map((paragraph) => wrapped(paragraph.replaceAll(/\s+/g, " ")).join("\n"))
    .join("\n\n");
}

function optionTable(options: readonly Option[]): string {
  return definitions(
    options.map(({ name, short, kind, placeholder, values, description }) => {
      const head = `${short === undefined ? "" : `-${short}, `}--${name.replace("{N}", "0, ...")}`;
      if (kind === "flag") return [head, description];
      const all = `${head} ${values?.join("|") ?? placeholder ?? "VALUE"}`;
      return all.length < WIDTH - 2
        ? [all, description]
        : [`${head} ${placeholder ?? "VALUE"}`, `One of ${values?.join(", ") ?? ""}. ${description}`];
    }),
  );
}
