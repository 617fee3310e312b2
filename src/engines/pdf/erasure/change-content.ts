/** Writes the content of a page without the parts that a choice removes. */
import { concat } from "../../../bytes/concat.ts";
import { readStream, streamsOf } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import type { Choice } from "./choice.ts";
import type { Eraser } from "./eraser.ts";
import { Walk } from "./walk.ts";

const SEPARATOR = Uint8Array.of(0x0a);

/** Goes through the content of a page (0-based), which may be in several streams. If it changes, the page gets a stream of its own. */
export async function changeContent(open: OpenPdf, index: number, eraser: Eraser, choice: Choice): Promise<void> {
  const { document, engine } = open;
  await engine.scope(async () => {
    const page = document.findPage(index);
    const parts: Uint8Array[] = [];
    for (const stream of streamsOf(page)) parts.push((await readStream(open, stream)) ?? new Uint8Array(), SEPARATOR);
    const changed = await new Walk(open, eraser, choice).run(concat(parts), page.getInheritable("Resources"));
    if (!changed) return;
    const contents = document.newArray();
    contents.push(document.addStream(changed.bytes, {}));
    page.put("Contents", contents);
    page.put("Resources", changed.resources);
  });
}
