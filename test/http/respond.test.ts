import { unzipSync } from "fflate";
import { afterEach, describe, expect, it, vi } from "vitest";
import { attachment } from "../../src/http/headers.ts";
import { RequestLog } from "../../src/http/request-log.ts";
import { answer } from "../../src/http/respond.ts";
import { MiB } from "../../src/limits.ts";
import type { OutputFile } from "../../src/operations/define.ts";

/** A file of an engine, with a count of what is still held. */
function engineFile(held: Set<string>, name: string, size: number): OutputFile {
  held.add(name);
  const content = new Uint8Array(size).map((_, index) => index % 251);
  return {
    name,
    bytes: { length: size, view: (start, end) => content.subarray(start, end), free: () => void held.delete(name) },
  };
}

function answering() {
  const pending: Promise<unknown>[] = [];
  const release = vi.fn<(clean: boolean) => void>();
  const log = new RequestLog("req_1", "POST");
  return {
    name: "in-split",
    log,
    release,
    payment: {
      settle: vi.fn<() => Promise<Record<string, string>>>().mockResolvedValue({ "X-Credits-Charged": "1" }),
      giveBack: vi.fn<() => Promise<void>>().mockResolvedValue(),
    },
    explain: (error: unknown) => error,
    waitUntil: (promise: Promise<unknown>) => void pending.push(promise),
    pending,
  };
}

const lines = vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(() => void lines.mockClear());
const logged = (): unknown[] => lines.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown);

describe("a PDF", () => {
  it("that is small is copied and the engine free at once", async () => {
    const held = new Set<string>();
    const way = answering();
    const response = await answer(
      { kind: "pdf", ...engineFile(held, "x", MiB), headers: { "X-Page-Count": "3" } },
      way,
    );
    expect(way.release).toHaveBeenCalledWith(true);
    expect(response.headers.get("Content-Length")).toBe(String(MiB));
    expect(response.headers.get("X-Page-Count")).toBe("3");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="in-split.pdf"');
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Credits-Charged")).toBe("1");
    expect((await response.bytes()).byteLength).toBe(MiB);
    expect(way.log.streaming).toBe(false);
  });

  it("that is large is streamed and the engine held until the last byte", async () => {
    const way = answering();
    const file = engineFile(new Set(), "x", MiB + 70_000);
    const response = await answer({ kind: "pdf", ...file, headers: {} }, way);
    expect(way.release).not.toHaveBeenCalled();
    expect(response.headers.get("Content-Length")).toBe(String(MiB + 70_000));
    expect(await response.bytes()).toEqual(file.bytes.view(0, file.bytes.length));
    await Promise.all(way.pending);
    expect(way.release.mock.calls).toEqual([[true]]);
    expect(logged()).toMatchObject([{ status: 200, outcome: "complete", answerBytes: MiB + 70_000 }]);
  });

  it("whose reader goes away gives everything back", async () => {
    const way = answering();
    const response = await answer({ kind: "pdf", ...engineFile(new Set(), "x", 8 * MiB), headers: {} }, way);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await Promise.all(way.pending);
    expect(way.release.mock.calls).toEqual([[true]]);
    expect(logged()).toMatchObject([{ outcome: "aborted", level: "info" }]);
    expect(way.payment.giveBack).not.toHaveBeenCalled();
  });
});

describe("a ZIP", () => {
  it("is made entry by entry, as it is read", async () => {
    const held = new Set<string>();
    const made: string[] = [];
    function* entries(): Generator<OutputFile> {
      for (const name of ["a-001.pdf", "\u00fcbung-002.pdf", "empty.pdf"]) {
        expect(held.size).toBe(0);
        made.push(name);
        yield engineFile(held, name, name === "empty.pdf" ? 0 : 300_000);
      }
    }
    const way = answering();
    const response = await answer({ kind: "zip", entries: entries(), headers: {} }, way);
    expect(made).toEqual(["a-001.pdf"]);
    const zip = await response.bytes();
    await Promise.all(way.pending);
    expect(Object.entries(unzipSync(zip)).map(([name, { length }]) => [name, length])).toEqual([
      ["a-001.pdf", 300_000],
      ["\u00fcbung-002.pdf", 300_000],
      ["empty.pdf", 0],
    ]);
    // Flags of the first two local headers: sizes follow the data (bit 3); a name in UTF-8 (bit 11).
    expect(zip[7]).toBe(0);
    expect(zip[6]).toBe(8);
    expect(held.size).toBe(0);
    expect(way.release.mock.calls).toEqual([[true]]);
  });

  it("whose first entry fails throws before there is an answer, and before it is charged", async () => {
    const way = answering();
    const entries: Iterable<OutputFile> = {
      [Symbol.iterator]() {
        throw new RangeError("the first");
      },
    };
    await expect(answer({ kind: "zip", entries, headers: {} }, way)).rejects.toThrow("the first");
    expect(way.release).not.toHaveBeenCalled();
    expect(way.payment.settle).not.toHaveBeenCalled();
  });

  it("whose later entry fails never looks whole", async () => {
    const held = new Set<string>();
    function* entries(): Generator<OutputFile> {
      yield engineFile(held, "a.pdf", 10);
      throw new RangeError("the second");
    }
    const way = answering();
    let givenBack = false;
    way.payment.giveBack.mockImplementation(async () => {
      await scheduler.wait(10);
      givenBack = true;
    });
    const response = await answer({ kind: "zip", entries: entries(), headers: {} }, way);
    await expect(response.bytes()).rejects.toThrow("the second");
    // Who sees the break may ask again at once, under the same Idempotency-Key.
    expect(givenBack).toBe(true);
    await Promise.all(way.pending);
    expect(way.release.mock.calls).toEqual([[false]]);
    expect(way.payment.giveBack).toHaveBeenCalledOnce();
    expect(logged()).toMatchObject([
      { level: "error", code: "internal_error", outcome: "aborted", cause: { message: "the second" } },
    ]);
  });

  it("whose reader goes away makes no more entries", async () => {
    const made: number[] = [];
    let closed = false;
    function* entries(): Generator<OutputFile> {
      try {
        for (let number = 0; number < 50; number += 1) {
          made.push(number);
          yield engineFile(new Set(), `${number}.pdf`, 200_000);
        }
      } finally {
        closed = true;
      }
    }
    const way = answering();
    const reader = (await answer({ kind: "zip", entries: entries(), headers: {} }, way)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await Promise.all(way.pending);
    expect(made.length).toBeLessThan(3);
    expect(closed).toBe(true);
    expect(way.release.mock.calls).toEqual([[true]]);
  });
});

it("names a file that is not ASCII twice (RFC 6266)", () => {
  expect(attachment("it's (年).pdf")).toBe(
    "attachment; filename=\"it's (_).pdf\"; filename*=UTF-8''it%27s%20%28%E5%B9%B4%29.pdf",
  );
});
