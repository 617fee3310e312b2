import { useId } from "preact/hooks";
import { readMembers, writeMembers } from "../json-input.tsx";
import type { FormField, Widget } from "./form-fields.ts";

interface Props {
  readonly fields: readonly FormField[] | undefined;
  readonly value: string;
  readonly change: (value: string) => void;
  /** Called with the field that is being filled in. */
  readonly look: (widget: Widget | undefined) => void;
}

/** The fields of a PDF's own form. Only what differs from the file is sent. */
export function FormValuesInput({ fields, value, change, look }: Props) {
  if (fields === undefined) return <p class="quiet pages-wanted tall">Reading the fields of the form…</p>;
  if (fields.length === 0) return <p class="quiet">The PDF has no form fields.</p>;
  const members = readMembers(value) ?? {};
  return (
    <div class="form-values" role="group" aria-label="Fields of the PDF">
      {fields.map((field) => (
        <div key={field.name} onFocusIn={() => look(field.widgets[0])}>
          <FieldInput
            field={field}
            value={members[field.name]}
            change={(next) => change(writeMembers({ ...members, [field.name]: next }))}
          />
        </div>
      ))}
    </div>
  );
}

interface FieldProps {
  readonly field: FormField;
  /** Undefined if it keeps its value in the file. */
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

function FieldInput({ field, value, change }: FieldProps) {
  const id = useId();
  const { name, kind, options, isLong, most, isReadOnly } = field;
  const shown = value ?? field.value;
  const label = (
    <>
      {name}
      {isReadOnly && <span class="required">read-only in viewers</span>}
    </>
  );
  const put = (next: string | boolean | readonly string[]): void =>
    change(JSON.stringify(next) === JSON.stringify(field.value) ? undefined : next);
  if (kind === "checkbox") {
    return (
      <div class="field switch">
        <label>
          <input type="checkbox" checked={shown === true} onChange={(event) => put(event.currentTarget.checked)} />
          {label}
        </label>
      </div>
    );
  }
  const chosen = Array.isArray(shown) ? shown.map(String) : [String(shown)];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === "text" ? (
        isLong ? (
          <textarea
            id={id}
            rows={2}
            maxLength={most}
            value={chosen[0]}
            onInput={(event) => put(event.currentTarget.value)}
          />
        ) : (
          <input
            id={id}
            type="text"
            autocomplete="off"
            maxLength={most}
            value={chosen[0]}
            onInput={(event) => put(event.currentTarget.value)}
          />
        )
      ) : (
        <select
          id={id}
          multiple={kind === "list"}
          onChange={(event) => {
            const picked = [...event.currentTarget.selectedOptions].map(({ value }) => value);
            put(kind === "list" ? picked : (picked[0] ?? ""));
          }}
        >
          {kind === "choice" && !options.some((option) => chosen.includes(option.value)) && (
            <option value={chosen[0]} selected>
              {chosen[0]}
            </option>
          )}
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={chosen.includes(option.value)}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
