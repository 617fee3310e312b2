import type { Operation } from "../../description/description.ts";
import { grouped } from "../../description/operation-list.ts";
import { takesType } from "../../description/fields.ts";
import { documentField } from "./workspace.ts";

interface Props {
  readonly operations: readonly Operation[];
  readonly label: string;
  /** The media type of the used file. */
  readonly type: string | undefined;
  /** Whether it is several files, which not every operation takes. */
  readonly several?: boolean;
  readonly use: (operation: string) => void;
}

/** Makes a result the input of another operation. Nothing where none takes it. */
export function UseIn({ operations, label, type, several = false, use }: Props) {
  const takers = operations.filter((operation) => {
    const field = documentField(operation);
    return field !== undefined && type !== undefined && takesType(field, type) && (!several || field.kind === "files");
  });
  if (takers.length === 0) return null;
  return (
    <select class="use-in" aria-label={label} onChange={(event) => use(event.currentTarget.value)}>
      <option value="">{label}…</option>
      {grouped(takers).map((group) => (
        <optgroup key={group.name} label={group.name}>
          {group.operations.map(({ name, summary }) => (
            <option key={name} value={name}>
              {summary}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}
