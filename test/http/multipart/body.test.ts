import { describe, expect, it } from "vitest";
import { readBody } from "../../../src/http/multipart/body.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

describe("readBody", () => {
  const options = {
    maxBytes: 1_000,
    graceMilliseconds: 60_000,
    tooLarge: (limit: number, actual: number) => new Error(`${actual} of ${limit}`),
    read: (window: Uint8Array) => window.length,
    progress: () => {},
  };
  const streamOf = (...chunks: string[]): ReadableStream<Uint8Array> =>
    new ReadableStream({
      type: "bytes",
      pull(controller) {
        const next = chunks.shift();
        if (next === undefined) return controller.close();
        controller.enqueue(encoder.encode(next));
      },
    });

  it("a body is read in windows that begin with the unread rest", async () => {
    const windows: string[] = [];
    const read = (window: Uint8Array): number => {
      windows.push(decoder.decode(window));
      return Math.max(0, window.length - 2);
    };
    await readBody(streamOf("abc", "de", "f"), { ...options, read });
    expect(windows).toEqual(["abc", "bcde", "def"]);
  });

  it("a body is refused as soon as it exceeds the limit", async () => {
    const reading = readBody(streamOf("x".repeat(600), "x".repeat(600), "never"), options);
    await expect(reading).rejects.toThrow("1200 of 1000");
  });

  it("a body that stops arriving times out", async () => {
    const silent = new ReadableStream({ type: "bytes", pull: () => new Promise(() => {}) });
    await expect(readBody(silent, { ...options, graceMilliseconds: 50 })).rejects.toMatchObject({
      code: "request_timeout",
    });
  });
});
