/** Documents changed by the engine itself, without the service. */
import { readFileSync } from "node:fs";
import { type OpenPdf, openPdf } from "../../src/engines/pdf/document/document.ts";
import { PdfEngine } from "../../src/engines/pdf/mupdf/mupdf.ts";
import { rewritePdf } from "../../src/engines/pdf/write/save.ts";
import { unlimitedWork } from "../../src/engines/work.ts";
import type { Picture } from "./render.ts";

const compiled = (name: string): WebAssembly.Module =>
  new WebAssembly.Module(readFileSync(new URL(`../../wasm/generated/${name}`, import.meta.url)));
const modules = {
  module: compiled("mupdf.wasm"),
  tick: compiled("tick.wasm"),
  callback: compiled("callback.wasm"),
  jpx: compiled("jpx.wasm"),
};

/** A new engine, held by no request. */
export const createEngine = (): Promise<PdfEngine> => PdfEngine.create(modules);

/** The document after `work`, which gets it open. */
export async function change(file: Uint8Array, work: (open: OpenPdf) => void | Promise<void>): Promise<Uint8Array> {
  const engine = await createEngine();
  engine.begin(() => true, unlimitedWork());
  const arena = engine.arena(file.length);
  arena.write(file);
  using open = await openPdf(engine, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
  await work(open);
  const { view, length } = await rewritePdf(open);
  return view(0, length).slice();
}

/** Whether two pages look the same, pixel by pixel. */
export function isSame(a: Picture, b: Picture): boolean {
  return a.stride === b.stride && Buffer.from(a.pixels).equals(Buffer.from(b.pixels));
}
