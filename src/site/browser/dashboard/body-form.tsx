import { useState } from "preact/hooks";
import { ApiFailure, fieldIssues } from "../api/call.ts";
import { allows, type Schema } from "../../description/schema.ts";
import { Inline } from "../parts/prose.tsx";

interface Props {
  readonly schema: Schema;
  readonly action: string;
  readonly send: (body: Readonly<Record<string, unknown>>) => Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;

/** The form for a JSON body, built from its schema. Untouched members are not sent. */
export function BodyForm({ schema, action, send }: Props) {
  const [body, setBody] = useState<Body>({});
  const [error, setError] = useState<unknown>();
  const issues = fieldIssues(error instanceof ApiFailure ? error.problem : undefined);
  const submit = async () => {
    setError(undefined);
    try {
      await send(body);
      setBody({});
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
      {Object.entries(schema.properties ?? {}).map(([name, inner]) => (
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
  const about = `body-${name}-about`;
  const words = schema.items?.enum ?? schema.items?.anyOf?.flatMap((one) => one.enum ?? []);
  const title = (
    <>
      <code>{name}</code>
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
        <p class="issue" role="alert">
          {issue}
        </p>
      )}
    </>
  );
  if (allows(schema, "array") && words) {
    const chosen = Array.isArray(value) ? (value as unknown[]) : [];
    return (
      <fieldset class="field" aria-describedby={about}>
        <legend>{title}</legend>
        <div class="choices">
          {words.map((word) => (
            <label key={word}>
              <input
                type="checkbox"
                checked={chosen.includes(word)}
                onChange={(event) => {
                  const rest = chosen.filter((one) => one !== word);
                  const next = event.currentTarget.checked ? [...rest, word] : rest;
                  change(next.length > 0 ? next : undefined);
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
            aria-describedby={about}
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
      <label for={`body-${name}`}>{title}</label>
      <input
        id={`body-${name}`}
        {...(isDate ? { type: "datetime-local" as const } : { type: "text" as const, list: undefined })}
        autocomplete="off"
        aria-required={required}
        aria-invalid={issue !== undefined}
        aria-describedby={about}
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
