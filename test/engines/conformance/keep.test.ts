import { expect, test, vi } from "vitest";
import { leaseEngines } from "../../../src/engines/lease/pool.ts";
import { Refusal } from "../../../src/engines/errors.ts";
import { writeKept } from "../../../src/engines/pdf/conformance/keep.ts";
import { claimedProfile } from "../../../src/engines/pdf/conformance/validate.ts";
import { openPdf, type OpenPdf } from "../../../src/engines/pdf/document/document.ts";
import type { PdfEngine } from "../../../src/engines/pdf/mupdf/mupdf.ts";
import { rewritePdf } from "../../../src/engines/pdf/write/save.ts";
import { Work } from "../../../src/engines/work.ts";
import { archivalDocument, conformingDocument } from "../../harness/fixtures/archival-fixtures.ts";

type WriteSpy = ReturnType<typeof vi.fn<() => ReturnType<typeof rewritePdf>>>;

/** Opens a file, and passes it on with a function that writes it and counts how often. */
async function onOpen<T>(file: Uint8Array, work: (open: OpenPdf, write: WriteSpy) => Promise<T>): Promise<T> {
  const { engines, release } = await leaseEngines(() => true, { work: new Work(1e11) });
  try {
    const arena = engines.pdf.files.arena(file.length);
    arena.write(file);
    using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
    return await work(
      open,
      vi.fn(() => rewritePdf(open, { keepsClaim: true })),
    );
  } finally {
    release(true);
  }
}

/** Lets the page paint in a color without a meaning. */
function paintRed({ document }: OpenPdf): void {
  document.findPage(0).put("Contents", document.addStream("1 0 0 rg 0 0 9 9 re f", {}));
}

/** Denies memory once the document is written. */
function denyAfter(open: OpenPdf, write: WriteSpy, refusal: Refusal): void {
  const claim = vi.spyOn(open.engine, "claim");
  write.mockImplementationOnce(async () => {
    const file = await rewritePdf(open, { keepsClaim: true });
    claim.mockImplementationOnce(() => {
      throw refusal;
    });
    return file;
  });
}

test("a document that conforms, or that claims nothing, is written once", async () => {
  for (const file of [conformingDocument("2b"), archivalDocument()]) {
    await onOpen(file, async (open, write) => {
      await writeKept(open, write);
      expect(write).toHaveBeenCalledTimes(1);
      expect([...open.lostRules]).toEqual([]);
    });
  }
});

test("a document that no longer conforms is written again, without its claim", async () => {
  await onOpen(conformingDocument("2b"), async (open, write) => {
    paintRed(open);
    await writeKept(open, write);
    expect(write).toHaveBeenCalledTimes(2);
    expect([...open.lostRules]).toEqual(["6.2.4.3-2"]);
    expect(await claimedProfile(open)).toBeUndefined();
  });
});

test("a file for which there is no memory to validate it loses its claim as unchecked", async () => {
  await onOpen(conformingDocument("2b"), async (open, write) => {
    denyAfter(open, write, new Refusal("limit_exceeded", "No memory.", { limit: "memory" }));
    await writeKept(open, write);
    expect([...open.lostRules]).toEqual(["unchecked"]);
  });
});

test("memory that was counted for the validation is given back", async () => {
  await onOpen(conformingDocument("2b"), async (open, write) => {
    const engine: PdfEngine = open.engine;
    let before = 0;
    write.mockImplementationOnce(async () => {
      const file = await rewritePdf(open, { keepsClaim: true });
      before = engine.claimed;
      return file;
    });
    await writeKept(open, write);
    expect(engine.claimed).toBe(before);
  });
});

test("memory that other requests hold is an error, so that the result does not depend on them", async () => {
  await onOpen(conformingDocument("2b"), async (open, write) => {
    denyAfter(open, write, new Refusal("overloaded", "Busy."));
    await expect(writeKept(open, write)).rejects.toMatchObject({ code: "overloaded" });
  });
});
