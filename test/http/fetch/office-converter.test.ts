import { describe, expect, inject, test, vi } from "vitest";
import { officeConverterOf } from "../../../src/http/fetch/office-converter.ts";

const server = inject("documents");
const SETTINGS = {
  landscape: undefined,
  pageRanges: undefined,
  password: undefined,
  hasOutline: undefined,
  singlePage: undefined,
};
/** Longer than the pieces in which it is sent. */
const LENGTH = 200_000;
const content = new Uint8Array(LENGTH).fill(7);
const bytes = { length: LENGTH, view: (start: number, end: number) => content.subarray(start, end) };

function convert(how: string, client = new AbortController().signal) {
  const place = { url: `${server}/office/${how}`, fetch: (url: string, init?: RequestInit) => fetch(url, init) };
  const document = { extension: "ppt", bytes, isEncrypted: false };
  return officeConverterOf(place, client)?.convert(document, SETTINGS, 1_000_000);
}
const open = async (how: string): Promise<string> =>
  (await fetch(`${server}/open/office/${how}/forms/libreoffice/convert`)).text();

describe("officeConverterOf", () => {
  test("there is no converter without a place", () => {
    expect(officeConverterOf(undefined, new AbortController().signal)).toBeUndefined();
  });

  test("the file arrives as it is", async () => {
    expect((await convert("pdf~direct"))?.length).toBeGreaterThan(500);
    const seen = (await (await fetch(`${server}/office/pdf~direct/seen`)).json()) as {
      length: number;
      sha256: string;
    }[];
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
    const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    expect(seen).toContainEqual(expect.objectContaining({ length: LENGTH, sha256, fileName: "document.ppt" }));
  });

  test.each(["hang", "stall", "endless"])(
    "a client that leaves ends the request to the converter (%s)",
    async (how) => {
      const client = new AbortController();
      const gone = new Error("gone");
      const converting = convert(how, client.signal)?.catch((error: unknown) => error);
      await vi.waitFor(async () => expect(await open(how)).toBe("1"), 60_000);
      client.abort(gone);
      expect(await converting).toBe(gone);
      await vi.waitFor(async () => expect(await open(how)).toBe("0"), 60_000);
    },
  );

  test("nothing is sent for a client that has left", async () => {
    const gone = new Error("gone");
    await expect(convert("204", AbortSignal.abort(gone))).rejects.toBe(gone);
    expect(await (await fetch(`${server}/office/204/seen`)).json()).toEqual([]);
  });
});
