/** The catalog and its layers (ISO 19005-2, 6.9 to 6.11). */
import type { PDFObject } from "mupdf";
import { bytesOfString, items, objectNumber } from "../objects/objects.ts";
import { textString } from "../objects/text-string.ts";
import type { OpenPdf } from "../document/document.ts";
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
  await archiveLayers(target, root);
}

/** Fuel per configuration, and per layer of one. */
const LAYER_WORK = 500;

async function archiveLayers({ open, changes }: ArchiveTarget, root: PDFObject): Promise<void> {
  const { engine } = open;
  const properties = root.get("OCProperties");
  if (!properties.isDictionary()) return;
  const groups = items(properties.get("OCGs")).map((group) => ({ group, number: objectNumber(group) }));
  const names = new Set<string>();
  for (const [index, configuration] of [properties.get("D"), ...items(properties.get("Configs"))].entries()) {
    engine.work.spend(LAYER_WORK);
    await engine.work.pause();
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
    const listed = await listedIn(open, order);
    engine.work.spend(groups.length * LAYER_WORK);
    const missing = groups.filter(({ number }) => !listed.has(number));
    for (const { group } of missing) order.push(group);
    if (missing.length > 0) changes.add("layers_completed");
  }
}

/** The numbers of the groups in an order, which may have arrays in arrays, even in themselves. */
async function listedIn({ engine }: OpenPdf, order: PDFObject): Promise<ReadonlySet<number>> {
  const listed = new Set<number>();
  const pending = items(order);
  for (let item = pending.pop(); item; item = pending.pop()) {
    engine.work.spend(LAYER_WORK);
    await engine.work.pause();
    const number = objectNumber(item);
    if (number !== 0 && listed.has(number)) continue;
    listed.add(number);
    for (const inner of items(item)) pending.push(inner);
  }
  return listed;
}
