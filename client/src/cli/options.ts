import type { Parameter } from "./command.ts";
import { usageFailure } from "./failure.ts";
import { nearest } from "../nearest.ts";

/** An option of the command line. */
export interface Option {
  /** Without the hyphens. A name that ends in `{N}` stands for that name with any number. */
  readonly name: string;
  readonly short?: string;
  readonly kind: "flag" | "value";
  readonly description: string;
  /** What help shows for its value. */
  readonly placeholder?: string;
  readonly values?: readonly string[];
  /** Its value is sent as typed, for the service to read, which accepts more than one form: `--words=True`. */
  readonly isParameter?: boolean;
}

/** An option or an argument, as typed. */
export interface Given {
  /** The option; undefined for an argument. */
  readonly option: Option | undefined;
  /** Its name, with its number if it has one. */
  readonly name: string;
  /** As typed: `--chunk-size`, `-o`. */
  readonly typed: string;
  readonly value: string;
}

const TRUE = new Set(["true", "1"]);
const FALSE = new Set(["false", "0"]);

/**
 * Reads the words of a command. Options and arguments can be in any order; after `--`, all are arguments. The value of an option is the
 * next word, whatever it begins with, or follows `=`. `--no-<flag>` is `--<flag>=false`.
 *
 * @throws Failure for an option that there is not, or that has no value.
 */
export function readWords(words: readonly string[], options: readonly Option[], command: string): Given[] {
  const given: Given[] = [];
  const argument = (value: string): Given => ({ option: undefined, name: "", typed: value, value });
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      given.push(...words.slice(at + 1).map(argument));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      given.push(argument(word));
      continue;
    }
    const next = (typed: string): string => {
      at += 1;
      const value = words[at];
      if (value === undefined) throw usageFailure(`${typed} needs a value.`);
      return value;
    };
    if (word.startsWith("--")) given.push(long(word, options, command, next));
    else given.push(...short(word, options, command, next));
  }
  return given;
}

function long(word: string, options: readonly Option[], command: string, next: (typed: string) => string): Given {
  const equals = word.indexOf("=");
  const typed = equals < 0 ? word : word.slice(0, equals);
  const inline = equals < 0 ? undefined : word.slice(equals + 1);
  const name = kebab(typed.slice(2));
  const option = optionNamed(name, options);
  if (option?.kind === "value") return { option, name, typed, value: inline ?? next(typed) };
  if (option) {
    const value = inline ?? "true";
    if (option.isParameter) return { option, name, typed, value };
    if (!TRUE.has(value) && !FALSE.has(value)) throw usageFailure(`${typed} is true or false, not "${value}".`);
    return { option, name, typed, value: String(TRUE.has(value)) };
  }
  const positive = name.startsWith("no-") ? optionNamed(name.slice(3), options) : undefined;
  if (positive?.kind === "flag" && inline === undefined) {
    return { option: positive, name: positive.name, typed, value: "false" };
  }
  throw unknown(typed, options, command);
}

function short(word: string, options: readonly Option[], command: string, next: (typed: string) => string): Given[] {
  const given: Given[] = [];
  for (let at = 1; at < word.length; at++) {
    const typed = `-${word[at] ?? ""}`;
    const option = options.find(({ short }) => short === word[at]);
    if (!option) throw unknown(typed, options, command);
    if (option.kind === "flag") {
      given.push({ option, name: option.name, typed, value: "true" });
      continue;
    }
    const rest = word.slice(at + 1).replace(/^=/, "");
    given.push({ option, name: option.name, typed, value: rest === "" ? next(typed) : rest });
    break;
  }
  return given;
}

function optionNamed(name: string, options: readonly Option[]): Option | undefined {
  const numbered = name.replace(/(?:0|[1-9]\d*)$/, "{N}");
  return options.find((option) => option.name === name) ?? options.find((option) => option.name === numbered);
}

function unknown(typed: string, options: readonly Option[], command: string) {
  const near = nearest(
    typed,
    options.map(({ name }) => `--${name}`),
  );
  const hint = near === undefined ? ` See \`pdf-service ${command} --help\`.` : ` Did you mean ${near}?`;
  return usageFailure(`${command} has no option ${typed}.${hint}`);
}

/**
 * Text in Markdown, without the marks of words that are values there: what a parameter is, or must be (`mode` is `ranges`), and what a
 * description lists (`ranges`: ...). The same word can also be the name of a parameter, and then it keeps its marks elsewhere.
 */
export function withoutMarksOfValues(text: string, parameters: readonly Parameter[]): string {
  const unmarked = (code: string): string => code.replaceAll("`", "");
  return text
    .replaceAll(/`(\w+)` (?:is|must be) (?:`[^`]+`(?:,? or |, )?)+/g, (sentence, name: string) => {
      const { values = [] } = parameters.find(({ field }) => field === name) ?? {};
      return sentence.replaceAll(/`([^`]+)`/g, (code, word: string) => (values.includes(word) ? unmarked(code) : code));
    })
    .replaceAll(/`([^`]+)`:/g, (code, word: string) =>
      parameters.some(({ values = [] }) => values.includes(word)) ? unmarked(code) : code,
    );
}

/** `chunkSize` as `chunk-size`. */
export const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
