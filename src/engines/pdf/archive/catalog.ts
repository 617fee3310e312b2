/** The catalog and its layers (ISO 19005-2, 6.9 to 6.11). */
import type { PDFObject } from "mupdf";
import { bytesOfString, items, objectNumber } from "../objects/objects.ts";
import { textString } from "../objects/text-string.ts";
import type { ArchiveTarget } from "./target.ts";

/** The version of PDF that parts 2 and 3 are about. */
const VERSION = /^1\.[0-7]$/;

export async function archiveCatalog(target: ArchiveTarget): Promise<void> {
  const { open, changes } = target;
  const root = open.document.getTrailer().get("Root");
  const version = root.get("Version");
  if (!version.isNull() && !(version.isName() && VERSION.test(version.asName()))) root.delete("Version");
  const remove = (holder: PDFObject, key: string, kind: string): void => {
    if (!holder.isDictionary() || holder.get(key).isNull()) return;
    holder.delete(key);
    changes.add(kind);
  };
  remove(root, "Requirements", "requirements_removed");
  remove(root.get("Names"), "AlternatePresentations", "presentations_removed");
  remove(root.get("Names"), "JavaScript", "scripts_removed");
  archiveLayers(target, root);
}

function archiveLayers({ open, changes }: ArchiveTarget, root: PDFObject): void {
  const { engine } = open;
  const properties = root.get("OCProperties");
  if (!properties.isDictionary()) return;
  const groups = items(properties.get("OCGs"));
  const names = new Set<string>();
  for (const [index, configuration] of [properties.get("D"), ...items(properties.get("Configs"))].entries()) {
    if (!configuration.isDictionary()) continue;
    const name = bytesOfString(engine, configuration.get("Name")) ?? "";
    if (name === "" || names.has(name)) {
      configuration.put("Name", textString(configuration, index === 0 ? "Default" : `Configuration ${index}`));
      changes.add("layers_completed");
    }
    names.add(bytesOfString(engine, configuration.get("Name")) ?? "");
    if (!configuration.get("AS").isNull()) {
      configuration.delete("AS");
      changes.add("layers_completed");
    }
    const order = configuration.get("Order");
    if (!order.isArray()) continue;
    const listed = new Set<number>();
    const pending = items(order);
    for (let item = pending.pop(); item; item = pending.pop()) {
      if (item.isArray()) pending.push(...items(item));
      else listed.add(objectNumber(item));
    }
    const missing = groups.filter((group) => !listed.has(objectNumber(group)));
    for (const group of missing) order.push(group);
    if (missing.length > 0) changes.add("layers_completed");
  }
}
