import { expect } from "vitest";
import { pdfPart, post, type Service } from "../requests/client.ts";
import { differingPixels } from "../compare/compare-pictures.ts";
import { readAll, whoFinds } from "./find-secret.ts";
import { readPdfiumPage } from "../engines/pdfium.ts";
import { secretDocument } from "./random-secrets.ts";

interface Found {
  readonly matches: readonly {
    readonly boxes: readonly {
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    }[];
  }[];
  readonly elsewhere: number;
}

/** Points. */
const LARGEST_GLYPH = 16;

/** Pixels that may differ: a glyph that moves by a thousandth of a point may be smoothed otherwise. One that is lost has more. */
const SMOOTHED = 8;

/**
 * Redacts the document of a seed. Its secret is gone, as qpdf, pdf.js, and PDFium see it; what stands beside it stays and looks as before;
 * and `dryRun` says what happens.
 */
export async function redactSecret(service: Service, seed: number): Promise<void> {
  const { bytes, secret, neighbors, places, size, looksTheSame } = secretDocument(seed);
  const about = `seed ${seed}: ${places.join(", ")}`;
  const before = await readAll(bytes);
  expect(before.pdfjs, about).toContain(secret);
  const request = { file: pdfPart(bytes), terms: JSON.stringify([secret]) };
  const { status, message, headers, body } = await post(service, "redact", request);
  expect([status, message], about).toEqual([200, undefined]);
  const after = await readAll(body);
  expect(whoFinds(after, secret), about).toEqual([]);
  const seen = neighbors.filter((word) => before.pdfjs.includes(word));
  expect(seen.length, about).toBeGreaterThan(1);
  expect(
    seen.filter((word) => !after.pdfjs.includes(word)),
    about,
  ).toEqual([]);
  const dryRun = await post(service, "redact", { ...request, dryRun: "true" });
  const found = JSON.parse(new TextDecoder().decode(dryRun.body)) as Found;
  expect(found.matches.length + found.elsewhere, about).toBe(Number(headers.get("x-redactions")));
  if (!looksTheSame) return;
  const boxes = found.matches.flatMap((match) => match.boxes);
  const [was, is] = [await readPdfiumPage(bytes, 0, size), await readPdfiumPage(body, 0, size)];
  // Letters of fonts that are not there are drawn with others, which may be wider.
  expect(differingPixels(was.picture, is.picture, boxes, LARGEST_GLYPH / 2), about).toBeLessThan(SMOOTHED);
}

/** Crops the document of a seed with and without `remove`, which look the same. */
export async function cropSecret(service: Service, seed: number): Promise<void> {
  const { bytes, places, size } = secretDocument(seed);
  const about = `seed ${seed}: ${places.join(", ")}`;
  const [width, height] = [Math.round(size.width * 0.6), Math.round(size.height * 0.6)];
  const box = JSON.stringify({ x: Math.round(size.width * 0.1), y: Math.round(size.height * 0.15), width, height });
  const removed = await post(service, "crop", { file: pdfPart(bytes), box, remove: "true" });
  expect([removed.status, removed.message], about).toEqual([200, undefined]);
  const kept = await post(service, "crop", { file: pdfPart(bytes), box });
  const [a, b] = [
    await readPdfiumPage(removed.body, 0, { width, height }),
    await readPdfiumPage(kept.body, 0, { width, height }),
  ];
  // A glyph that the edge divides goes as a whole.
  const edges = [
    { x: 0, y: 0, width, height: 0 },
    { x: 0, y: height, width, height: 0 },
    { x: 0, y: 0, width: 0, height },
    { x: width, y: 0, width: 0, height },
  ];
  expect(
    differingPixels(a.picture, b.picture, edges, LARGEST_GLYPH * (size.width > 1_000 ? 2 : 1)),
    about,
  ).toBeLessThan(SMOOTHED);
}

/** Flattens the document of a seed, which looks the same and keeps its words. */
export async function flattenSecret(service: Service, seed: number): Promise<void> {
  const { bytes, neighbors, secret, places, size } = secretDocument(seed);
  const about = `seed ${seed}: ${places.join(", ")}`;
  const { status, message, body } = await post(service, "flatten", { file: pdfPart(bytes) });
  expect([status, message], about).toEqual([200, undefined]);
  const [was, is] = [await readPdfiumPage(bytes, 0, size), await readPdfiumPage(body, 0, size)];
  // PDFium draws a field without an appearance otherwise than its value is drawn into the page.
  if (!places.includes("a field")) expect(differingPixels(was.picture, is.picture), about).toBeLessThan(SMOOTHED);
  const [before, after] = [await readAll(bytes), await readAll(body)];
  for (const word of [secret, ...neighbors])
    if (before.pdfjs.includes(word)) expect(after.pdfjs.includes(word), `${word}, ${about}`).toBe(true);
}
