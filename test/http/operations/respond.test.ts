import { unzipSync } from "fflate";
import { afterEach, describe, expect, it, vi } from "vitest";
import { responding, engineFile } from "./responding.ts";
import { attachment } from "../../../src/http/exchange/headers.ts";
import { respond } from "../../../src/http/operations/respond.ts";
import { MiB } from "../../../src/limits.ts";
import { nextTurn } from "../../../src/next-turn.ts";
import type { OutputFile } from "../../../src/operations/definition/define.ts";

const lines = vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(() => void lines.mockClear());
const logged = (): unknown[] => lines.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown);

describe("PDF responses", () => {
  it("a small PDF is copied, and its engine free at once", async () => {
    const held = new Set<string>();
    const way = responding();
    const { response, sent } = await respond(
      { kind: "pdf", ...engineFile(held, "x", MiB), headers: { "X-Page-Count": "3" } },
      way,
    );
    expect(way.finishWork.mock.calls).toEqual([[true, MiB]]);
    expect(response.headers.get("Content-Length")).toBe(String(MiB));
    expect(response.headers.get("X-Page-Count")).toBe("3");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="in-split.pdf"');
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Credits-Charged")).toBe("1");
    expect((await response.bytes()).byteLength).toBe(MiB);
    await sent;
    expect(logged()).toMatchObject([{ status: 200, outcome: "complete", responseBytes: MiB }]);
  });

  it("a large PDF is streamed, and its engine free when all of it is in memory", async () => {
    const way = responding();
    const file = engineFile(new Set(), "x", MiB + 70_000);
    const { response, sent } = await respond({ kind: "pdf", ...file, headers: {} }, way);
    expect(way.finishWork).not.toHaveBeenCalled();
    expect(response.headers.get("Content-Length")).toBe(String(MiB + 70_000));
    expect(await response.bytes()).toEqual(file.bytes.view(0, file.bytes.length));
    await sent;
    expect(way.finishWork.mock.calls.map(([clean]) => clean)).toEqual([true]);
    expect(logged()).toMatchObject([{ status: 200, outcome: "complete", responseBytes: MiB + 70_000 }]);
  });

  it("a PDF that memory has no room for is copied as it is read", async () => {
    const way = responding(200_000);
    const file = engineFile(new Set(), "x", 2 * MiB);
    const { response, sent } = await respond({ kind: "pdf", ...file, headers: {} }, way);
    await vi.waitFor(() => expect(way.lease.waitForReader).toHaveBeenCalled(), 60_000);
    expect(way.finishWork).not.toHaveBeenCalled();
    expect(await response.bytes()).toEqual(file.bytes.view(0, file.bytes.length));
    await sent;
    expect(way.finishWork).toHaveBeenCalledOnce();
    expect(way.finishWork.mock.calls.map(([clean]) => clean)).toEqual([true]);
  });

  it("a PDF whose reader goes away releases everything", async () => {
    const way = responding();
    const { response, sent } = await respond({ kind: "pdf", ...engineFile(new Set(), "x", 8 * MiB), headers: {} }, way);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await sent;
    expect(way.finishWork.mock.calls.map(([clean]) => clean)).toEqual([true]);
    expect(logged()).toMatchObject([{ outcome: "aborted", level: "info" }]);
    expect(way.payment.reverse).not.toHaveBeenCalled();
  });
});

/** Reads until nothing more comes, and returns how many bytes came, and the read that waits. */
async function readWhatComes(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let bytes = 0;
  for (;;) {
    const coming = reader.read();
    const reads: ReadableStreamReadResult<Uint8Array>[] = [];
    coming.then((result) => reads.push(result)).catch(() => {});
    for (let turn = 0; turn < 50 && reads.length === 0; turn += 1) await nextTurn();
    const [read] = reads;
    if (read === undefined || read.done) return { bytes, coming };
    bytes += read.value.byteLength;
  }
}

const twoEntries = (): OutputFile[] => ["a.pdf", "b.pdf"].map((name) => engineFile(new Set(), name, 1_000));

describe.each([
  ["of one byte", () => ({ kind: "pdf", ...engineFile(new Set(), "x", 1), headers: {} }) as const, 1],
  ["that lies in memory", () => ({ kind: "pdf", ...engineFile(new Set(), "x", 5_000), headers: {} }) as const, 5_000],
  ["that is streamed", () => ({ kind: "pdf", ...engineFile(new Set(), "x", 2 * MiB), headers: {} }) as const, 2 * MiB],
  ["of several files", () => ({ kind: "zip", entries: twoEntries(), headers: {} }) as const, undefined],
])("responses %s", (_, output, length) => {
  it("a response starts before its charge is confirmed, and ends afterwards", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const way = responding(Infinity, promise);
    const { response, sent } = await respond(output(), way);
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("no body");
    const { bytes, coming } = await readWhatComes(reader);
    expect(bytes).toBeLessThan(length ?? Infinity);
    expect(bytes).toBeGreaterThanOrEqual(Math.min(1, (length ?? Infinity) - 1));
    expect(logged()).toEqual([]);
    resolve();
    const last = await coming;
    expect(last.done).toBe(false);
    const rest = await readWhatComes(reader);
    const total = bytes + (last.value?.byteLength ?? 0) + rest.bytes;
    expect(total).toBe(length ?? total);
    expect((await rest.coming).done).toBe(true);
    await sent;
    expect(logged()).toMatchObject([{ status: 200, outcome: "complete" }]);
  });

  it("a response whose charge fails is reversed and breaks off", async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    const way = responding(Infinity, promise);
    const { response, sent } = await respond(output(), way);
    const body = response.bytes();
    reject(new Error("the database does not respond"));
    await expect(body).rejects.toThrow("the response broke off");
    await sent;
    expect(way.payment.reverse).toHaveBeenCalledOnce();
    expect(logged()).toMatchObject([{ code: "internal_error", outcome: "aborted", level: "error" }]);
  });
});

it("a response without bytes waits for its charge", async () => {
  const way = responding(Infinity, Promise.reject(new Error("the database does not respond")));
  const empty = engineFile(new Set(), "x", 0);
  await expect(respond({ kind: "pdf", ...empty, headers: {} }, way)).rejects.toThrow("the database does not respond");
});

describe("ZIP responses", () => {
  it("a ZIP is made entry by entry, as it is read", async () => {
    const held = new Set<string>();
    const made: string[] = [];
    function* entries(): Generator<OutputFile> {
      for (const name of ["a-001.pdf", "\u00fcbung-002.pdf", "empty.pdf"]) {
        expect(held.size).toBe(0);
        made.push(name);
        yield engineFile(held, name, name === "empty.pdf" ? 0 : 300_000);
      }
    }
    const way = responding();
    const { response, sent } = await respond({ kind: "zip", entries: entries(), headers: {} }, way);
    expect(made).toEqual(["a-001.pdf"]);
    const zip = await response.bytes();
    await sent;
    expect(Object.entries(unzipSync(zip)).map(([name, { length }]) => [name, length])).toEqual([
      ["a-001.pdf", 300_000],
      ["\u00fcbung-002.pdf", 300_000],
      ["empty.pdf", 0],
    ]);
    // Flags of the first two local headers: sizes follow the data (bit 3); a name in UTF-8 (bit 11).
    expect(zip[7]).toBe(0);
    expect(zip[6]).toBe(8);
    expect(held.size).toBe(0);
    expect(way.finishWork.mock.calls.map(([clean]) => clean)).toEqual([true]);
  });

  it("a ZIP whose first entry fails throws before the response starts, and before it is charged", async () => {
    const way = responding();
    const entries: Iterable<OutputFile> = {
      [Symbol.iterator]() {
        throw new RangeError("the first");
      },
    };
    await expect(respond({ kind: "zip", entries, headers: {} }, way)).rejects.toThrow("the first");
    expect(way.finishWork).not.toHaveBeenCalled();
    expect(way.payment.settle).not.toHaveBeenCalled();
  });

  it("a ZIP whose later entry fails never looks complete", async () => {
    const held = new Set<string>();
    function* entries(): Generator<OutputFile> {
      yield engineFile(held, "a.pdf", 10);
      throw new RangeError("the second");
    }
    const way = responding();
    let givenBack = false;
    way.payment.reverse.mockImplementation(async () => {
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      givenBack = true;
    });
    const { response, sent } = await respond({ kind: "zip", entries: entries(), headers: {} }, way);
    await expect(response.bytes()).rejects.toThrow("the response broke off");
    // Who sees the break may ask again at once, under the same Idempotency-Key.
    expect(givenBack).toBe(true);
    await sent;
    expect(way.finishWork.mock.calls.map(([clean]) => clean)).toEqual([false]);
    expect(way.payment.reverse).toHaveBeenCalledOnce();
    expect(logged()).toMatchObject([
      { level: "error", code: "internal_error", outcome: "aborted", cause: { name: "RangeError" } },
    ]);
  });

  it("entries of a ZIP are made while it is sent", async () => {
    async function* image(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(70_000).fill(1);
      yield new Uint8Array(5).fill(2);
    }
    const entries: OutputFile[] = [{ name: "page-1.png", bytes: image() }];
    const way = responding();
    const zip = unzipSync(await (await respond({ kind: "zip", entries, headers: {} }, way)).response.bytes());
    expect(zip["page-1.png"]?.length).toBe(70_005);
    expect(zip["page-1.png"]?.at(-1)).toBe(2);
  });

  it("a ZIP whose reader goes away makes no more entries", async () => {
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
    const way = responding(100_000);
    const { response, sent } = await respond({ kind: "zip", entries: entries(), headers: {} }, way);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await sent;
    expect(made.length).toBeLessThan(3);
    expect(closed).toBe(true);
    expect(way.finishWork.mock.calls.map(([clean]) => clean)).toEqual([true]);
  });
});

describe("image responses", () => {
  /** `count` MiB of it, and then an error where one is to come. */
  async function* made(count: number, events: string[], error?: Error): AsyncGenerator<Uint8Array> {
    try {
      for (let mebibyte = 0; mebibyte < count; mebibyte++) {
        events.push("made");
        yield new Uint8Array(MiB).fill(mebibyte);
      }
      if (error) throw error;
    } finally {
      events.push("closed");
    }
  }

  it("a small image is complete before anything is sent, so its length is known", async () => {
    const way = responding();
    const { response } = await respond({ kind: "image", format: "jpeg", bytes: made(1, []), headers: {} }, way);
    expect(way.finishWork.mock.calls.map(([clean]) => clean)).toEqual([true]);
    expect(response.headers.get("Content-Length")).toBe(String(MiB));
    expect(response.headers.get("Content-Type")).toBe("image/jpeg");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="in-split.jpg"');
    expect((await response.bytes()).length).toBe(MiB);
  });

  it("an image that fails within its first MiB throws before the response starts", async () => {
    const way = responding();
    const bytes = made(1, [], new RangeError("the end"));
    await expect(respond({ kind: "image", format: "png", bytes, headers: {} }, way)).rejects.toThrow("the end");
    expect(way.finishWork).not.toHaveBeenCalled();
  });

  it("a large image is streamed, and breaks off where it fails", async () => {
    const events: string[] = [];
    const way = responding();
    const bytes = made(4, events, new RangeError("the end"));
    const { response, sent } = await respond({ kind: "image", format: "png", bytes, headers: {} }, way);
    expect(events).toEqual(["made", "made"]);
    expect(response.headers.has("Content-Length")).toBe(false);
    await expect(response.bytes()).rejects.toThrow("the response broke off");
    await sent;
    expect(way.finishWork.mock.calls.map(([clean]) => clean)).toEqual([false]);
    expect(events.at(-1)).toBe("closed");
  });

  it("an image whose reader goes away is not completed, and is closed before its engine is released", async () => {
    const events: string[] = [];
    const way = responding(2 * MiB);
    way.finishWork.mockImplementation(() => void events.push("released"));
    const { response, sent } = await respond(
      { kind: "image", format: "png", bytes: made(50, events), headers: {} },
      way,
    );
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await sent;
    expect(events.length).toBeLessThan(10);
    expect(events.slice(-2)).toEqual(["closed", "released"]);
  });
});

it("a file name beyond ASCII is sent twice (RFC 6266)", () => {
  expect(attachment("it's (年).pdf")).toBe(
    "attachment; filename=\"it's (_).pdf\"; filename*=UTF-8''it%27s%20%28%E5%B9%B4%29.pdf",
  );
});
