import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { readEnv } from "../../src/env.ts";
import { leaseEngines, RECOGNITION_SLICE } from "../../src/engines/lease/pool.ts";
import { readModel } from "../../src/engines/ocr/models.ts";
import { readPicture } from "../../src/engines/ocr/read-picture.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { Work } from "../../src/engines/work.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";

const { loadModel } = readEnv(env);

/** Notes how much fuel was spent without a turn for others. */
class WatchedWork extends Work {
  readonly stretches: number[] = [];
  #before = 0;

  override async rest(): Promise<void> {
    this.stretches.push(this.spent - this.#before);
    this.#before = this.spent;
    await super.rest();
  }
}

test("others have their turn while a model is opened and while text is recognized", async () => {
  const work = new WatchedWork(Infinity);
  const { engines, release } = await leaseEngines(() => true, { work, loadModel });
  const { recognizer } = engines;
  await recognizer.open(["eng"], "best");
  const opening = work.stretches.splice(0);
  // For each piece of the file, and for each slice of what Tesseract makes of it.
  expect(opening.filter((fuel) => fuel >= RECOGNITION_SLICE).length).toBeGreaterThan(3);
  expect(Math.max(...opening)).toBeLessThan(1.5 * RECOGNITION_SLICE);

  const file = textDocument([{ content: show("Ten words in one line are enough for this test", 40, 700, 20) }]);
  const arena = engines.pdf.files.arena(file.length);
  arena.write(file);
  {
    using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
    expect((await readPicture(open, 0, recognizer)).lines.length).toBe(1);
  }
  expect(work.stretches.length).toBeGreaterThan(10);
  // The largest is the one for the ink of the page, which is counted before the page is drawn in bands.
  expect(work.stretches.toSorted((a, b) => b - a)[1]).toBeLessThan(3 * RECOGNITION_SLICE);
  release(true);
});

test("a model is unpacked in pieces, between which others have their turn", async () => {
  let turns = 0;
  const model = await readModel("eng", "best", loadModel, async () => void (turns += 1));
  const { byteLength } = await loadModel("eng");
  expect(turns).toBe(Math.ceil(byteLength / (64 * 1024)));
  const whole = new Response(await loadModel("eng")).body?.pipeThrough(new DecompressionStream("gzip"));
  expect(model).toEqual(new Uint8Array(await new Response(whole).arrayBuffer()));
});
