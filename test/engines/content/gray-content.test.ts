import type { PDFObject } from "mupdf";
import { expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import type { GrayColors } from "../../../src/engines/pdf/grayscale/colors.ts";
import { grayContent } from "../../../src/engines/pdf/grayscale/content.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

/** An object of what JSON has, as far as color spaces are read. */
const object = (value: unknown): PDFObject =>
  ({
    isArray: () => Array.isArray(value),
    isName: () => typeof value === "string",
    asName: () => value,
    isNull: () => value === undefined,
    get: (...keys: string[]) => object(keys.reduce((inside, key) => (inside as never)?.[key], value)),
    _doc: { newName: (name: string) => object(name) },
  }) as unknown as PDFObject;

const SPACES = { Spot: ["Separation"], Over: ["Pattern", ["Separation"]], Plain: ["Pattern"], Gray: "DeviceGray" };

/** Of each color the sum of its values, as the initial color 0.25. */
const COLORS = {
  of: (_: PDFObject, values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
  initial: () => 0.25,
} as unknown as GrayColors;

async function gray(content: string): Promise<string> {
  const names = { resources: object({ ColorSpace: SPACES }), patternOverGray: () => "OverGray" };
  const result = await grayContent(bytesOf(content), COLORS, names, unlimitedWork());
  return result ? latin1(result) : content;
}

test.each([
  ["device colors", "1 0 0 rg 0 0 0 1 K", "0.3 g 0 G"],
  ["colors of a space", "/Spot cs 0.5 scn /Spot CS 0.1 SC", "0.25 g 0.5 g 0.25 G 0.1 G"],
  ["colors of a space that q and Q save", "/Spot cs q 0 g Q 0.5 sc", "0.25 g q 0 g Q 0.5 g"],
  ["colors of a space that a color has selected", "1 0 0 rg 0.1 0.2 0.3 sc", "0.3 g 0.6 g"],
  ["colors under a pattern", "/Over cs 0.5 /P scn", "/OverGray cs 0.5 /P scn"],
  ["device spaces by name", "/DeviceCMYK CS 0 0 0 0.5 SC", "0 G 0.5 G"],
])("colors turn gray: %s", async (_, content, expected) => expect(await gray(content)).toBe(expected));

test.each([
  ["grays", "0.5 g /Gray cs 0.5 sc /DeviceGray CS 1 SCN"],
  ["patterns", "/Pattern cs /P scn /Plain CS /P SCN"],
  ["unknown spaces", "/Unknown cs 0.5 scn"],
  ["strings and comments with operators", "(1 0 0 rg) Tj % 1 0 0 rg\n"],
])("colors stay unchanged: %s", async (_, content) => expect(await gray(content)).toBe(content));
