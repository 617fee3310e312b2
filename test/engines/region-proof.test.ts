import { expect, test } from "vitest";
import { erasedRegions } from "../../src/engines/pdf/erasure/area.ts";
import { eraseArea } from "../../src/engines/pdf/erasure/erase-area.ts";
import { Eraser } from "../../src/engines/pdf/erasure/eraser.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { proveRegions } from "../../src/engines/pdf/redaction/proof/prove.ts";
import type { PageBox } from "../../src/engines/geometry.ts";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";

const REGION: PageBox = [100, 50, 160, 90];

test.each([
  ["a background", ".2 g 0 0 300 200 re f"],
  ["a line whose ink reaches in", "30 w 0 45 m 300 45 l S"],
  ["the tip of a miter", "18 w 60 60 m 95 70 l 60 80 l S"],
])("the proof of a region fails with ink in it, and accepts what was cut: %s", async (_, content) => {
  const file = drawing({ width: 300, height: 200, content });
  const { engines, release } = await leaseEngines(() => true);
  const arena = engines.pdf.files.arena(file.length);
  arena.write(file);
  using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
  const prove = (): Promise<void> => proveRegions(open, 0, [REGION]);
  const erase = async (region: PageBox): Promise<void> =>
    eraseArea(open, 0, new Eraser(open), await erasedRegions(engines.pdf.work, [region]));
  await expect(prove()).rejects.toMatchObject({ code: "redaction_failed" });
  const [left, bottom, right, top] = REGION;
  await erase([left + 15, bottom, right, top]);
  await expect(prove()).rejects.toMatchObject({ code: "redaction_failed" });
  await erase(REGION);
  await expect(prove()).resolves.toBeUndefined();
  release(true);
});
