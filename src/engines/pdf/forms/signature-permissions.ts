/** Changes that the signatures of a document allow (ISO 32000-2, 12.8.2). */
import type { PDFObject } from "mupdf";
import type { TerminalField } from "./tree.ts";
import { items } from "../objects/objects.ts";
import type { TextReader } from "../objects/text-string.ts";

/** Permissions of a certification (table 257): 1 allows no changes; the default, 2, allows filling in forms. */
const NOTHING = 1;
const FILL = 2;

/** Whether all signatures stay valid if these fields, by full name, change their values. */
export function allowsFilling(
  root: PDFObject,
  nodes: readonly TerminalField[],
  names: readonly string[],
  texts: TextReader,
): boolean {
  const signatures = nodes.filter(({ type }) => type === "signature").map(({ own }) => own.V);
  return [...signatures, root.get("Perms", "DocMDP")].every((signature) =>
    items(signature.get("Reference")).every((reference) => {
      const method = reference.get("TransformMethod");
      const parameters = reference.get("TransformParams");
      if (!method.isName()) return true;
      if (method.asName() === "DocMDP") {
        const level = parameters.get("P");
        return (level.isNumber() ? level.asNumber() : FILL) > NOTHING;
      }
      return method.asName() !== "FieldMDP" || !names.some((name) => isLocked(name, parameters, texts));
    }),
  );
}

/** Whether a signature locks a field (12.8.2.4). A name includes the fields below it. */
function isLocked(name: string, parameters: PDFObject, texts: TextReader): boolean {
  const action = parameters.get("Action");
  const listed = items(parameters.get("Fields")).some((object) => {
    const field = texts.text(object);
    return field !== undefined && (name === field || name.startsWith(`${field}.`));
  });
  const kind = action.isName() ? action.asName() : "";
  return kind === "All" || (kind === "Include" && listed) || (kind === "Exclude" && !listed);
}
