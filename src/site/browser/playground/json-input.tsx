import { useEffect, useState } from "preact/hooks";
import { allows, type Schema } from "../../description/schema.ts";
import { ListInput, listKindOf, readList } from "./list-input.tsx";

interface Props {
  readonly name: string;
  readonly schema: Schema;
  /** JSON, or "" if empty. */
  readonly value: string;
  readonly change: (value: string) => void;
  readonly invalid: boolean;
  /** The IDs of its description and its issue. */
  readonly describedBy: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** The object in the text; undefined if there is none. */
export function readMembers(text: string): Members | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

export function writeMembers(members: Members): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : JSON.stringify(Object.fromEntries(given));
}

/** The object that a schema allows, alone or instead of a number for all of its members. */
const objectIn = (schema: Schema): Schema => schema.anyOf?.find(({ properties }) => properties) ?? schema;

/** The members in the text. One number stands for all. */
function membersIn(text: string, schema: Schema): Members | undefined {
  const names = Object.keys(schema.properties ?? {});
  const isNumber = text.trim() !== "" && Number.isFinite(Number(text));
  return isNumber ? Object.fromEntries(names.map((name) => [name, Number(text)])) : readMembers(text);
}

/**
 * Edits an object as rows if its schema names its members or allows free names, and a list of words and texts as such; any other JSON
 * as text.
 */
export function JsonInput({ name, schema: given, value, change, invalid, describedBy }: Props) {
  const [asText, setAsText] = useState(false);
  const schema = objectIn(given);
  const members = membersIn(value, schema);
  const kind = listKindOf(given);
  const list = kind && readList(value);
  const rows = kind !== undefined || schema.properties !== undefined || typeof schema.additionalProperties === "object";
  const isReadable = kind ? list !== undefined : members !== undefined;
  const text = asText || !rows || !isReadable;
  return (
    <div class="json">
      {text ? (
        <textarea
          rows={4}
          class="mono"
          aria-label={`${name} as JSON`}
          aria-invalid={invalid}
          aria-describedby={describedBy}
          spellcheck={false}
          placeholder={JSON.stringify(given.examples?.[0]) ?? (allows(schema, "array") ? "[ ]" : "{ }")}
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
        />
      ) : kind && list ? (
        <ListInput
          {...{ name, kind, list, invalid, describedBy }}
          change={(next) => change(next.length === 0 ? "" : JSON.stringify(next))}
        />
      ) : members === undefined ? null : schema.properties ? (
        <NamedRows {...{ schema, members, invalid, describedBy }} change={(next) => change(writeMembers(next))} />
      ) : (
        <FreeRows {...{ schema, members, invalid, describedBy }} change={(next) => change(writeMembers(next))} />
      )}
      {rows && (
        <button type="button" class="plain" disabled={!isReadable} onClick={() => setAsText(!asText)}>
          {text ? "Edit as fields" : "Edit as JSON"}
        </button>
      )}
    </div>
  );
}

interface RowsProps {
  readonly schema: Schema;
  readonly members: Members;
  readonly change: (members: Members) => void;
  readonly invalid: boolean;
  readonly describedBy: string | undefined;
}

/** The issue is one of the whole: it is said once, at the first member, and not at each. */
function NamedRows({ schema, members, change, invalid, describedBy }: RowsProps) {
  const rows = Object.entries(schema.properties ?? {});
  return (
    <div class="members">
      {rows.map(([name, inner], index) => (
        <label key={name}>
          <code>{name}</code>
          <Member
            schema={inner}
            value={members[name]}
            change={(value) => change({ ...members, [name]: value })}
            invalid={invalid && index === 0}
            describedBy={index === 0 ? describedBy : undefined}
          />
        </label>
      ))}
    </div>
  );
}

/** The value of a member's control: undefined if it is empty. */
function Member({
  schema,
  value,
  change,
  invalid,
  describedBy,
  label,
}: {
  schema: Schema;
  value: unknown;
  change: (value: unknown) => void;
  invalid: boolean;
  describedBy: string | undefined;
  label?: string;
}) {
  const common = { "aria-invalid": invalid, "aria-describedby": describedBy, "aria-label": label };
  if (schema.enum) {
    const words = schema.enum;
    const given = (text: string) => words.find((word) => String(word) === text && word !== schema.default);
    return (
      <select {...common} onChange={(event) => change(given(event.currentTarget.value))}>
        {schema.default === undefined && <option value="" />}
        {words.map((word) => (
          <option key={word} value={String(word)} selected={word === (value ?? schema.default)}>
            {word}
          </option>
        ))}
      </select>
    );
  }
  const isNumber = allows(schema, "number") || allows(schema, "integer");
  const isText = allows(schema, "string");
  if (allows(schema, "boolean") && !isText) {
    return (
      <input
        {...common}
        type="checkbox"
        checked={value === true}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    );
  }
  const read = (text: string): unknown => {
    if (text === "") return undefined;
    if (isNumber) return Number(text);
    if (allows(schema, "boolean") && /^(true|false)$/.test(text)) return text === "true";
    if (isText && !(allows(schema, "array") && text.startsWith("["))) return text;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  };
  const shown = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  return (
    <input
      {...common}
      {...(isNumber ? { type: "number" as const, step: "any" } : { type: "text" as const, list: undefined })}
      spellcheck={false}
      placeholder={String(schema.examples?.[0] ?? (isNumber || isText ? "" : '{"name": "value"}'))}
      value={shown}
      onInput={(event) => change(read(event.currentTarget.value))}
    />
  );
}

type Rows = readonly (readonly [string, unknown])[];

function rowsOf(members: Members): Rows {
  const given = Object.entries(members);
  return given.length > 0 ? given : [["", undefined]];
}

const membersOf = (rows: Rows): Members =>
  Object.fromEntries(rows.filter(([name, value]) => name !== "" && value !== undefined));

/** Rows of a name and a value, such as a page and its angle. */
function FreeRows({ schema, members, change, invalid, describedBy }: RowsProps) {
  const [rows, setRows] = useState(() => rowsOf(members));
  // Incomplete rows exist only here; a value set elsewhere, such as by an example, replaces them.
  useEffect(() => {
    if (writeMembers(membersOf(rows)) !== writeMembers(members)) setRows(rowsOf(members));
  }, [writeMembers(members)]);
  const [exampleName = "name"] = Object.keys(Object(schema.examples?.[0]) as object);
  const inner = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const set = (next: Rows) => {
    setRows(next);
    change(membersOf(next));
  };
  return (
    <div class="free-members">
      {rows.map(([name, value], index) => (
        <div class="row" key={index}>
          <input
            type="text"
            aria-label={`Name ${index + 1}`}
            placeholder={exampleName}
            aria-describedby={index === 0 ? describedBy : undefined}
            value={name}
            onInput={(event) => set(rows.with(index, [event.currentTarget.value, value]))}
          />
          <Member
            schema={inner}
            value={value}
            change={(value) => set(rows.with(index, [name, value]))}
            invalid={invalid && index === 0}
            describedBy={index === 0 ? describedBy : undefined}
            label={`Value ${index + 1}`}
          />
          <button
            type="button"
            class="plain"
            aria-label={`Remove row ${index + 1}`}
            onClick={() => set(rows.length === 1 ? [["", undefined]] : rows.filter((_, at) => at !== index))}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" class="plain" onClick={() => set([...rows, ["", undefined]])}>
        Add a row
      </button>
    </div>
  );
}
