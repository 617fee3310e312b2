import type { Choices } from "../../description/schema.ts";

interface Props {
  readonly id: string;
  readonly name: string;
  readonly choices: Choices;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly invalid: boolean;
  readonly describedBy: string | undefined;
}

const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** The codes of Tesseract that are none of BCP 47. */
const TAGS: Readonly<Record<string, string>> = { chi_sim: "zh-Hans", chi_tra: "zh-Hant" };

function nameOf(code: string): string {
  try {
    return names.of(TAGS[code] ?? code) ?? code;
  } catch {
    return code;
  }
}

/** Some of a list of languages, the first one first: they can be added and removed. */
export function LanguagesInput({ id, name, choices, value, change, invalid, describedBy }: Props) {
  const { values, most = values.length } = choices;
  const chosen = value.split(/[,+]/).flatMap((part) => part.trim() || []);
  const sorted = values
    .filter((code) => !chosen.includes(code))
    .map((code) => ({ code, language: nameOf(code) }))
    .toSorted((a, b) => a.language.localeCompare(b.language));
  return (
    <div class="languages">
      {chosen.map((code) => (
        <button
          key={code}
          type="button"
          class="chip"
          aria-label={`Remove ${nameOf(code)} ${code}`}
          onClick={() => change(chosen.filter((one) => one !== code).join(","))}
        >
          {nameOf(code)} <code>{code}</code> <span aria-hidden="true">✕</span>
        </button>
      ))}
      <select
        id={id}
        name={name}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        disabled={chosen.length >= most}
        onChange={(event) => {
          const { value: code } = event.currentTarget;
          event.currentTarget.value = "";
          if (code !== "") change([...chosen, code].join(","));
        }}
      >
        <option value="">{chosen.length >= most ? `At most ${most}` : "Add a language…"}</option>
        {sorted.map(({ code, language }) => (
          <option key={code} value={code}>
            {language} ({code})
          </option>
        ))}
      </select>
    </div>
  );
}
