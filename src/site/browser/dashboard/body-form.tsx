import { useId, useState } from "preact/hooks";
import { ApiFailure, fieldIssues } from "../api/call.ts";
import { labelOf } from "../../description/labels.ts";
import { allows, type Schema } from "../../description/schema.ts";
import { Inline } from "../parts/prose.tsx";

type Body = Readonly<Record<string, unknown>>;

interface Props {
  readonly schema: Schema;
  readonly action: string;
  /** The values that the form begins with. */
  readonly initial?: Body;
  /** Members that the form does not have. */
  readonly without?: readonly string[];
  readonly send: (body: Body) => Promise<void>;
}

/** The form for a JSON body, built from its schema. Untouched members are not sent. */
export function BodyForm({ schema, action, initial = {}, without = [], send }: Props) {
  const [body, setBody] = useState<Body>(initial);
  const [error, setError] = useState<unknown>();
  const issues = fieldIssues(error instanceof ApiFailure ? error.problem : undefined);
  const submit = async () => {
    setError(undefined);
    try {
      await send(body);
      setBody(initial);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <form
      class="body-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {Object.entries(schema.properties ?? {})
        .filter(([name]) => !without.includes(name))
        .map(([name, inner]) => (
          <Member
            key={name}
            name={name}
            schema={inner}
            required={schema.required?.includes(name) ?? false}
            value={body[name]}
            change={(value) => setBody({ ...body, [name]: value })}
            issue={[...issues].find(([key]) => key === name || key.startsWith(`${name}.`))?.[1]}
          />
        ))}
      {error !== undefined && issues.size === 0 && (
        <p class="issue" role="alert">
          {error instanceof Error ? error.message : String(error)}
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary">
          {action}
        </button>
      </div>
    </form>
  );
}

interface MemberProps {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly issue: string | undefined;
}

function Member({ name, schema, required, value, change, issue }: MemberProps) {
  const id = useId();
  const about = `${id}-about`;
  const words = schema.items?.enum ?? schema.items?.anyOf?.flatMap((one) => one.enum ?? []);
  const title = (
    <>
      {labelOf(name, schema)} <code class="api-name">{name}</code>
      {required && <span class="required">required</span>}
    </>
  );
  const below = (
    <>
      {schema.description && (
        <p class="about" id={about}>
          <Inline text={schema.description} />
        </p>
      )}
      {issue !== undefined && (
        <p class="issue" role="alert" id={`${id}-issue`}>
          <Inline text={issue} />
        </p>
      )}
    </>
  );
  const describedBy = issue === undefined ? about : `${about} ${id}-issue`;
  if (allows(schema, "array") && words) {
    const chosen = Array.isArray(value) ? (value as unknown[]) : [];
    const all = words.every((word) => chosen.includes(word));
    return (
      <fieldset class="field" aria-describedby={describedBy}>
        <legend>{title}</legend>
        <div class="choices">
          <label>
            <input
              type="checkbox"
              checked={all}
              onChange={(event) => change(event.currentTarget.checked ? [...words] : [])}
            />
            All
          </label>
          {words.map((word) => (
            <label key={word}>
              <input
                type="checkbox"
                checked={chosen.includes(word)}
                onChange={(event) => {
                  const rest = chosen.filter((one) => one !== word);
                  // An empty list is sent: the service refuses it, and does not take it for all of them.
                  change(event.currentTarget.checked ? [...rest, word] : rest);
                }}
              />
              <code>{word}</code>
            </label>
          ))}
        </div>
        {below}
      </fieldset>
    );
  }
  if (allows(schema, "boolean")) {
    return (
      <div class="field switch">
        <label>
          <input
            type="checkbox"
            checked={value === true}
            aria-describedby={describedBy}
            onChange={(event) => change(event.currentTarget.checked || undefined)}
          />
          {title}
        </label>
        {below}
      </div>
    );
  }
  const isDate = [schema, ...(schema.anyOf ?? [])].some(({ format }) => format === "date-time");
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <input
        id={id}
        {...(isDate ? { type: "datetime-local" as const } : { type: "text" as const, list: undefined })}
        autocomplete="off"
        aria-required={required}
        aria-invalid={issue !== undefined}
        aria-describedby={describedBy}
        value={isDate ? localTime(value) : typeof value === "string" ? value : ""}
        onInput={(event) => {
          const text = event.currentTarget.value;
          change(text === "" ? undefined : isDate ? new Date(text).toISOString() : text);
        }}
      />
      {below}
    </div>
  );
}

/** ISO 8601 in the format of the browser's control: local time without a zone. */
function localTime(value: unknown): string {
  if (typeof value !== "string") return "";
  const date = new Date(value);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
