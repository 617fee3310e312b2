import type { FormFile, FormInput, ReadField } from "./form-reader.ts";
import { oneOf } from "../errors/schema-issues.ts";
import { PageRange } from "../../engines/pdf/document/ranges.ts";
import {
  type FieldIssue,
  type Fields,
  hintsOf,
  type Input,
  type UploadedFile,
} from "../../operations/definition/fields.ts";

type Field = Fields[string];

/** Thrown when a check reads a field that has no valid value. */
class NotValid extends Error {}

/** All fields of a form: which of them apply, their values, and the issues. */
export class FormValues<F extends Fields> {
  readonly issues: readonly FieldIssue[];
  readonly #fields: Fields;
  readonly #read: ReadonlyMap<string, ReadField>;
  /** Valid values only; undefined for an absent optional field. */
  readonly #values = new Map<string, unknown>();
  /** Reading a field that is not valid throws NotValid. */
  readonly #checked: Input<F>;

  constructor(fields: F, read: ReadonlyMap<string, ReadField>) {
    this.#fields = fields;
    this.#read = read;
    this.issues = Object.entries(fields).flatMap(([name, field]) => this.#settle(name, field));
    const checked = {};
    for (const name of Object.keys(fields)) {
      Object.defineProperty(checked, name, { enumerable: true, get: () => this.#valid(name) });
    }
    this.#checked = checked as Input<F>;
  }

  /** The values by field, with the files that were loaded; complete only if there are no issues. */
  inputWith(loaded: ReadonlyMap<FormInput, UploadedFile>): Input<F> {
    const ready = (value: unknown): unknown =>
      Array.isArray(value) ? value.map(ready) : (loaded.get(value as FormInput) ?? value);
    return Object.fromEntries(Array.from(this.#values, ([name, value]) => [name, ready(value)])) as Input<F>;
  }

  /** The issues that a check finds; none if it reads a field without a valid value. */
  issuesOf(check: (input: Input<F>) => readonly FieldIssue[]): readonly FieldIssue[] {
    try {
      return check(this.#checked);
    } catch (error) {
      if (error instanceof NotValid) return [];
      throw error;
    }
  }

  /** The page ranges among the values, with their fields. */
  ranges(): { name: string; range: PageRange }[] {
    return Array.from(this.#values).flatMap(([name, value]) =>
      [value].flat().flatMap((range) => (range instanceof PageRange ? [{ name, range }] : [])),
    );
  }

  /** The file in the field `file`, which the page ranges refer to. */
  get file(): FormFile | undefined {
    return this.#values.get("file") as FormFile | undefined;
  }

  #valid(name: string): unknown {
    if (this.#values.has(name)) return this.#values.get(name);
    throw new NotValid();
  }

  #settle(name: string, field: Field): readonly FieldIssue[] {
    const { given, valid, value, issues } = this.#read.get(name) ?? nothing;
    const { when = {}, required = false } = hintsOf(field);
    const conditions = Object.entries(when).map(([other, values]) => ({
      holds: this.#holds(other, values),
      words: `when \`${other}\` is ${oneOf(values)}`,
    }));
    const broken = conditions.find(({ holds }) => holds === false);
    if (broken) {
      const unset = unsetValue(field);
      this.#values.set(name, unset);
      const isUnset = valid && issues.length === 0 && JSON.stringify(value) === JSON.stringify(unset);
      return given && !isUnset ? [{ name, issue: `only applies ${broken.words}` }] : [];
    }
    if (required && !given) {
      if (conditions.some(({ holds }) => holds === undefined)) return issues;
      const words = conditions.map((condition) => ` ${condition.words}`).join("");
      return [...issues, { name, issue: `is required${words}` }];
    }
    if (valid) this.#values.set(name, value);
    return issues;
  }

  /** Whether a field has one of these values; undefined if the field itself is invalid or missing. */
  #holds(name: string, values: readonly string[]): boolean | undefined {
    const { given, valid, value } = this.#read.get(name) ?? nothing;
    const field = this.#fields[name];
    const isMissing = !given && field !== undefined && hintsOf(field).required === true;
    return valid && !isMissing ? values.includes(String(value)) : undefined;
  }
}

const nothing: ReadField = { given: false, valid: false, value: undefined, issues: [] };

/** The value of an absent field. */
function unsetValue(field: Field): unknown {
  return field.kind === "text" ? field.schema.safeParse(field.hints.default?.toString()).data : undefined;
}
