/** Optional content (ISO 32000-2, 8.11): hidden content is redacted, too. */
import type { OpenPdf } from "../document/document.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import { entries, isNamed, objectNumber } from "../objects/objects.ts";

const TYPES = ["OCG", "OCMD"];
const VISIBLE = "Visible";

/** Makes MuPDF show all optional content: it hides only dictionaries with the type of a group. `restore` puts the types back. */
export async function showHiddenLayers(open: OpenPdf): Promise<{ restore(): void }> {
  const { document, engine } = open;
  const found: { number: number; type: string }[] = [];
  await eachObjectHaving(open, { keys: ["OC", "Properties", "Resources"], types: TYPES }, (object, number) => {
    if (!object.isDictionary()) return;
    const type = TYPES.find((name) => isNamed(object.get("Type"), name));
    if (type !== undefined) found.push({ number, type });
    for (const holder of [object.get("Properties"), object.get("Resources", "Properties"), object]) {
      for (const { key, value } of entries(engine, holder)) {
        if (holder === object && key.asName() !== "OC") continue;
        // A direct dictionary becomes an indirect object, so that it is found again.
        if (objectNumber(value) > 0 || !isNamed(value.get("Type"), "OCMD")) continue;
        const own = document.addObject(value);
        holder.put(key, own);
        found.push({ number: objectNumber(own), type: "OCMD" });
      }
    }
  });
  for (const { number } of found) document.newIndirect(number).put("Type", document.newName(VISIBLE));
  return {
    restore() {
      for (const { number, type } of found) document.newIndirect(number).put("Type", document.newName(type));
    },
  };
}
