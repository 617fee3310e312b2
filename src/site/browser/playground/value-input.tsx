import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { ValueField } from "../../description/fields.ts";
import { allows } from "../../description/schema.ts";
import { boxKindOf } from "./pages/boxes.ts";
import { Inline } from "../parts/prose.tsx";
import { LanguagesInput } from "./languages-input.tsx";
import { JsonInput } from "./json-input.tsx";
import { ChoicesInput } from "./list-input.tsx";

interface Props {
  readonly field: ValueField;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly issue: string | undefined;
  /** Another way to set the value, below the description. */
  readonly children?: ComponentChildren;
}

/** Up to this many choices are shown side by side. */
const AT_A_GLANCE = 4;

/** The characters of a label that fit above a number beside another one. */
const SHORT_LABEL = 20;

/** One parameter: its name, its description from the schema, and the control for its type. */
export function ValueInput({ field, value, change, issue, children }: Props) {
  const id = useId();
  const { name, label, schema, required, description } = field;
  const described = [description !== "" && `${id}-about`, issue !== undefined && `${id}-issue`].filter(Boolean);
  const aria = {
    "aria-invalid": issue !== undefined,
    "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
    "aria-required": required,
  };
  const about = description !== "" && (
    <p class="about" id={`${id}-about`}>
      <Inline text={description} />
    </p>
  );
  const problem = issue !== undefined && (
    <p class="issue" id={`${id}-issue`}>
      <Inline text={issue} />
    </p>
  );
  const title = (
    <>
      {label} <code class="api-name">{name}</code>
      {required && <span class="required">required</span>}
    </>
  );

  if (allows(schema, "boolean")) {
    return (
      <div class="field switch">
        <label>
          <input
            type="checkbox"
            name={name}
            checked={value === "true"}
            onChange={(event) => change(String(event.currentTarget.checked))}
            {...aria}
          />
          {title}
        </label>
        {about}
        {problem}
      </div>
    );
  }
  const choices = schema["x-choices"];
  if (choices && choices.most === undefined) {
    return (
      <fieldset class="field">
        <legend>{title}</legend>
        {about}
        {problem}
        <ChoicesInput
          {...{ choices, value, change }}
          invalid={issue !== undefined}
          describedBy={aria["aria-describedby"]}
        />
      </fieldset>
    );
  }
  const json = schema.contentSchema && (
    <JsonInput
      name={name}
      schema={schema.contentSchema}
      value={value}
      change={change}
      invalid={issue !== undefined}
      describedBy={aria["aria-describedby"]}
    />
  );
  // Values chosen visually are shown as text, too, but rarely read.
  const folded = schema.contentSchema?.["x-form-values"]
    ? "Names and values"
    : schema.contentSchema?.items && boxKindOf(schema) && "Boxes as JSON";
  if (schema.contentSchema || (schema.enum && isShort(schema.enum, required, schema.default))) {
    return (
      <fieldset class="field" aria-describedby={aria["aria-describedby"]}>
        <legend>{title}</legend>
        {about}
        {problem}
        {children}
        {children && folded ? (
          <details>
            <summary>{folded}</summary>
            {json}
          </details>
        ) : schema.contentSchema ? (
          json
        ) : (
          <Segments field={field} value={value} change={change} invalid={aria["aria-invalid"]} />
        )}
      </fieldset>
    );
  }
  return (
    <div class={`field${isNumber(field) && label.length <= SHORT_LABEL ? " narrow" : ""}`}>
      <label for={id}>{title}</label>
      {choices ? (
        <LanguagesInput
          {...{ id, name, value, change }}
          choices={choices}
          invalid={issue !== undefined}
          describedBy={aria["aria-describedby"]}
        />
      ) : schema.enum ? (
        <select id={id} name={name} onChange={(event) => change(event.currentTarget.value)} {...aria}>
          {schema.default === undefined && !required && (
            <option value="" selected={value === ""}>
              not set
            </option>
          )}
          {schema.enum.map((word) => (
            <option key={word} value={String(word)} selected={String(word) === value}>
              {word}
            </option>
          ))}
        </select>
      ) : (
        <TextInput id={id} field={field} value={value} change={change} aria={aria} />
      )}
      {about}
      {problem}
      {children}
    </div>
  );
}

function isShort(words: readonly unknown[], required: boolean, byDefault: unknown): boolean {
  const count = words.length + (required || byDefault !== undefined ? 0 : 1);
  return count <= AT_A_GLANCE && words.join("").length <= 32;
}

const isNumber = ({ schema }: ValueField): boolean => allows(schema, "number") || allows(schema, "integer");

/** A few choices side by side. The arrow keys move between them, as between radio buttons. */
function Segments({ field, value, change, invalid }: Pick<Props, "field" | "value" | "change"> & { invalid: boolean }) {
  const group = useId();
  const { schema, required, name } = field;
  const words = (schema.enum ?? []).map(String);
  const offered = required || schema.default !== undefined ? words : ["", ...words];
  return (
    <div class="segments">
      {offered.map((word) => (
        <label key={word}>
          <input
            type="radio"
            name={`${group}-${name}`}
            value={word}
            checked={word === value}
            aria-invalid={invalid}
            onChange={() => change(word)}
          />
          <span>{word === "" ? "not set" : word}</span>
        </label>
      ))}
    </div>
  );
}

interface TextProps extends Pick<Props, "field" | "value" | "change"> {
  readonly id: string;
  readonly aria: Readonly<Record<string, boolean | string | undefined>>;
}

function TextInput({ id, field, value, change, aria }: TextProps) {
  const { schema, name } = field;
  const example = schema.examples?.[0];
  const common = {
    id,
    name,
    value,
    autocomplete: "off",
    spellcheck: false,
    placeholder: example === undefined ? undefined : String(example),
    onInput: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
    ...aria,
  };
  if (isNumber(field)) {
    const step = allows(schema, "integer") ? 1 : "any";
    return (
      <input type="number" inputMode="decimal" step={step} min={schema.minimum} max={schema.maximum} {...common} />
    );
  }
  if (schema.format === "password") return <input type="password" {...common} autocomplete="new-password" />;
  if (schema.format === "multiline") return <textarea rows={1} {...common} />;
  if (schema.format === "color") {
    const shown = /^#[0-9a-f]{6}$/i.test(value) ? value : String(schema.default ?? example ?? "#000000");
    return (
      <span class="color">
        <input type="color" aria-label={`${name}, picked`} value={shown} onInput={common.onInput} />
        <input type="text" {...common} />
      </span>
    );
  }
  return <input type="text" {...common} />;
}
