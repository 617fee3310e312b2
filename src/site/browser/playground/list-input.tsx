import { useEffect, useState } from "preact/hooks";
import { allows, type Choices, type Schema } from "../../description/schema.ts";

/** What the items of a list can be: texts, words to choose from, and objects with one text, such as `{ "regex": "..." }`. */
export interface ListKind {
  /** Whether an item can be any text. */
  readonly isFree: boolean;
  readonly words: readonly string[];
  /** The name of the one member of an object. */
  readonly member: string | undefined;
}

/** Undefined if the schema is none of such a list. */
export function listKindOf({ items }: Schema): ListKind | undefined {
  if (items === undefined) return undefined;
  const variants = items.anyOf ?? [items];
  const words = variants.flatMap((one) => one.enum ?? []).map(String);
  const isFree = variants.some((one) => one.enum === undefined && allows(one, "string"));
  const members = variants.flatMap((one) => Object.entries(one.properties ?? {}));
  const [member] = members;
  if (members.length > 1 || (member && !allows(member[1], "string"))) return undefined;
  return isFree || words.length > 0 ? { isFree, words, member: member?.[0] } : undefined;
}

/** The list in the text; undefined if there is none. */
export function readList(text: string): readonly unknown[] | undefined {
  if (text.trim() === "") return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? (list as readonly unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

interface Props {
  readonly name: string;
  readonly kind: ListKind;
  readonly list: readonly unknown[];
  readonly change: (list: readonly unknown[]) => void;
  readonly invalid: boolean;
  readonly describedBy: string | undefined;
}

/** A list: its words are ticked, and its texts have a line each. */
export function ListInput({ name, kind, list, change, invalid, describedBy }: Props) {
  const { words, member, isFree } = kind;
  const ticked = words.filter((word) => list.includes(word));
  const texts = list.flatMap((item) => {
    const text: unknown = member === undefined ? item : (Object(item) as Record<string, unknown>)[member];
    return typeof text === "string" && !words.includes(text) ? [text] : [];
  });
  const itemOf = (text: string): unknown => (member === undefined ? text : { [member]: text });
  const common = { "aria-invalid": invalid, "aria-describedby": describedBy };
  return (
    <div class="list-input">
      {words.length > 0 && (
        <Ticks {...{ words, ticked, common }} change={(now) => change([...now, ...texts.map(itemOf)])} />
      )}
      {(isFree || member !== undefined) && (
        <Lines
          label={member === undefined ? `${name}, one per line` : `${member}, one per line`}
          texts={texts}
          change={(lines) => change([...ticked, ...lines.map(itemOf)])}
          {...(words.length === 0 && common)}
        />
      )}
    </div>
  );
}

interface TicksProps {
  readonly words: readonly string[];
  readonly ticked: readonly string[];
  /** Those that others include: they are ticked, and cannot be unticked. */
  readonly included?: readonly string[];
  readonly change: (ticked: readonly string[]) => void;
  /** Attributes of the first box. */
  readonly common: Readonly<Record<string, boolean | string | undefined>>;
}

function Ticks({ words, ticked, included = [], change, common }: TicksProps) {
  return (
    <div class="ticks">
      {words.map((word, index) => (
        <label key={word}>
          <input
            type="checkbox"
            {...(index === 0 && common)}
            checked={ticked.includes(word) || included.includes(word)}
            disabled={included.includes(word)}
            onChange={(event) => {
              const isOn = event.currentTarget.checked;
              change(words.filter((one) => (one === word ? isOn : ticked.includes(one))));
            }}
          />
          {word}
        </label>
      ))}
    </div>
  );
}

interface ChoicesProps {
  readonly choices: Choices;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly invalid: boolean;
  readonly describedBy: string | undefined;
}

/** Any words of a list separated by commas, as boxes to tick. */
export function ChoicesInput({ choices, value, change, invalid, describedBy }: ChoicesProps) {
  const { values: words, all, none, includes = {} } = choices;
  const given = value.split(",").map((word) => word.trim());
  const ticked = words.filter((word) => given.includes(word) || (all !== undefined && given.includes(all)));
  const write = (now: readonly string[]): void =>
    change((now.length === words.length && all) || (now.length === 0 && none) || now.join(","));
  const included = ticked.flatMap((word) => includes[word] ?? []);
  const common = { "aria-invalid": invalid, "aria-describedby": describedBy };
  return <Ticks {...{ words, ticked, included, common }} change={write} />;
}

interface LinesProps {
  readonly label: string;
  readonly texts: readonly string[];
  readonly change: (texts: readonly string[]) => void;
}

const linesIn = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

function Lines({ label, texts, change, ...aria }: LinesProps) {
  const [written, setWritten] = useState(texts.join("\n"));
  // Empty lines exist only here; a value set elsewhere, such as by an example, replaces them.
  useEffect(() => {
    if (linesIn(written).join("\n") !== texts.join("\n")) setWritten(texts.join("\n"));
  }, [texts.join("\n")]);
  return (
    <textarea
      rows={2}
      aria-label={label}
      placeholder={label}
      spellcheck={false}
      value={written}
      onInput={(event) => {
        setWritten(event.currentTarget.value);
        change(linesIn(event.currentTarget.value));
      }}
      {...aria}
    />
  );
}
