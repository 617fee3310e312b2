import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { drawPages, largestBlockError, looksThatDiffer } from "../harness/compare/appearance.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { compressor, imagesOf } from "../harness/requests/compress-calls.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { imageDocument, imageFixtures, inlineImageDocument, named } from "../harness/images/image-fixtures.ts";
import { jpegDocument } from "../harness/images/jpeg-document-fixtures.ts";
import { signedDocument } from "../harness/fixtures/metadata-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { withSignature } from "../harness/signatures/updates.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const compress = compressor(service);

const photo = imageDocument(named("photo-rgb"));

describe("kinds of images", () => {
  test.each(imageFixtures.map((fixture) => [fixture.name, fixture] as const))(
    "an image of kind %s looks the same",
    async (_, fixture) => {
      const bytes = imageDocument(fixture);
      const response = await compress(bytes);
      expect(response.body.length).toBeLessThanOrEqual(bytes.length);
      const [before, after] = [drawPages(bytes), drawPages(response.body)];
      expect(looksThatDiffer(before, after, 0.97)).toEqual([]);
      for (const [index, page] of before.entries()) {
        const other = after[index];
        expect(other && largestBlockError(page, other)).toBeLessThan(14);
      }
      const kind = (entries: string): string[] => ["/SMask", "/Mask"].filter((key) => entries.includes(key));
      expect(kind((await imagesOf(response.body)).map(({ entries }) => entries).join())).toEqual(kind(fixture.entries));
    },
  );

  test.each(["photo-rgb", "photo-gray", "photo-cmyk", "photo-spot", "photo-inverted"])(
    "an image of kind %s shrinks much",
    async (name) => {
      const bytes = imageDocument(named(name));
      expect((await compress(bytes)).body.length).toBeLessThan(bytes.length * 0.35);
    },
  );

  test.each(imageFixtures.map((fixture) => [fixture.name, fixture] as const))(
    "an image of kind %s turns gray",
    async (_, fixture) => {
      const bytes = imageDocument(fixture);
      const [page] = drawPages((await compress(bytes, { grayscale: "true" })).body);
      const [before] = drawPages(bytes);
      const data = page?.data ?? new Uint8Array();
      const tinted = data.findIndex((value, at) => value !== data[at - (at % 3)]);
      expect(tinted).toBe(-1);
      expect(page && before && looksThatDiffer([before], [page], 0.75)).toEqual([]);
    },
  );
});

describe("JPEG", () => {
  const kinds = [
    ["gray", jpegDocument(1)],
    ["color", jpegDocument(3)],
    ["CMYK", jpegDocument(4)],
    ["inverted CMYK", jpegDocument(4, "/Decode [1 0 1 0 1 0 1 0]")],
  ] as const;
  test.each(kinds)("a JPEG (%s) is encoded anew and looks the same", async (_, bytes) => {
    const { body } = await compress(bytes);
    expect(body.length).toBeLessThan(bytes.length * 0.6);
    expect((await imagesOf(body)).map(({ filter, width }) => [filter, width])).toEqual([["/DCTDecode", 417]]);
    const [before, after] = [drawPages(bytes), drawPages(body)];
    expect(looksThatDiffer(before, after, 0.97)).toEqual([]);
    expect(before[0] && after[0] && largestBlockError(before[0], after[0])).toBeLessThan(10);
  });

  test("a JPEG of about the requested quality is unchanged", async () => {
    const once = (await compress(jpegDocument(3), { imageMaxDpi: "600" })).body;
    const twice = (await compress(once, { imageMaxDpi: "600", stripMetadata: "true" })).body;
    expect((await imagesOf(twice))[0]?.bytes).toBe((await imagesOf(once))[0]?.bytes);
  });
});

describe("resolution", () => {
  test.each(["plain", "turned"] as const)(
    "an image is made smaller to imageMaxDpi at its placement: %s",
    async (place) => {
      // 480 samples on 200 points.
      const widths = async (dpi: string) =>
        (await imagesOf((await compress(imageDocument(named("photo-rgb"), { place }), { imageMaxDpi: dpi })).body))[0]
          ?.width;
      expect([await widths("150"), await widths("72"), await widths("600")]).toEqual([417, 200, 480]);
    },
  );

  test("the matrix of a form counts for the resolution", async () => {
    // Drawn at half its size within a form that is drawn at twice its size.
    const bytes = imageDocument(named("photo-rgb"), { inForm: true });
    expect((await imagesOf((await compress(bytes, { imageMaxDpi: "72" })).body))[0]?.width).toBe(200);
  });

  test("equal images become one", async () => {
    const bytes = imageDocument(named("photo-rgb"), { copies: 3 });
    const { body } = await compress(bytes);
    expect(await imagesOf(body)).toHaveLength(1);
    expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.95)).toEqual([]);
  });
});

test("each level makes a smaller file than the one before", async () => {
  const sizes: number[] = [];
  for (const level of ["low", "medium", "high", "max"]) sizes.push((await compress(photo, { level })).body.length);
  expect(sizes).toEqual([...new Set(sizes)].toSorted((a, b) => b - a));
  expect((sizes[3] ?? 0) / (sizes[0] ?? 0)).toBeLessThan(0.6);
  // Their /ID is random, and a byte of it that has to be escaped takes two.
  expect(Math.abs((await compress(photo)).body.length - (sizes[1] ?? 0))).toBeLessThan(64);
});

test.each(["bilevel", "line-art", "indexed", "stencil"])("an image of kind %s stays without loss", async (name) => {
  const bytes = imageDocument(named(name));
  const { body } = await compress(bytes, { level: "max", imageMaxDpi: "600" });
  const [before, after] = [drawPages(bytes)[0], drawPages(body)[0]];
  expect(before && after && largestBlockError(before, after)).toBe(0);
  expect((await imagesOf(body)).map(({ filter }) => filter)).not.toContain("/DCTDecode");
});

test("inline images are encoded anew", async () => {
  const bytes = inlineImageDocument();
  const { body } = await compress(bytes);
  expect(body.length).toBeLessThan(bytes.length * 0.2);
  expect(looksThatDiffer(drawPages(bytes), drawPages(body), 0.98)).toEqual([]);
});

describe("file size", () => {
  test("a compressed file is returned byte for byte the second time", async () => {
    const once = (await compress(photo, { level: "max" })).body;
    const twice = (await compress(once, { level: "max" })).body;
    expect(Buffer.compare(twice, once)).toBe(0);
  });

  test("a signed document without a gain keeps its signature, and one with a gain reports that it broke", async () => {
    const once = (await compress(signedDocument())).body;
    const twice = await compress(once);
    expect(Buffer.compare(twice.body, once)).toBe(0);
    expect(twice.headers.get("X-Signature-Invalidated")).toBeNull();
    const changed = await compress(await withSignature(signedDocument()), { stripMetadata: "true" });
    expect(changed.headers.get("X-Signature-Invalidated")).toBe("true");
  });
});

test("stripMetadata clears Info and XMP, which stay without it", async () => {
  const bytes = document({ name: "secret-name", pages: 2, features: ["outline"] });
  const kept = await openPdf((await compress(bytes)).body);
  expect(kept.info["Title"]).toBe("Title of secret-name");
  const { info, xmp, outline } = await openPdf((await compress(bytes, { stripMetadata: "true" })).body);
  expect([info["Title"], info["Author"], info["CreationDate"]]).toEqual([undefined, undefined, undefined]);
  expect(xmp ?? "").not.toContain("secret-name");
  expect(outline.length).toBeGreaterThan(0);
});

test("invalid parameters of compress are refused", async () => {
  const issue = async (fields: Readonly<Record<string, string>>) => {
    const response = await post(service, "compress", { file: pdfPart(photo), ...fields });
    const { error } = JSON.parse(new TextDecoder().decode(response.body)) as {
      error: { details: { fields: unknown } };
    };
    return [response.status, error.details.fields];
  };
  expect(await issue({ level: "huge" })).toEqual([
    400,
    [{ name: "level", issue: "must be low, medium, high, or max" }],
  ]);
  expect(await issue({ imageMaxDpi: "0", grayscale: "gray" })).toEqual([
    400,
    [
      { name: "grayscale", issue: "must be true or false" },
      { name: "imageMaxDpi", issue: "must be a whole number from 1 to 10,000" },
    ],
  ]);
});
