import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { drawing, textPage } from "../harness/fixtures/drawing-fixtures.ts";
import { difference, readJpeg, readPng } from "../harness/images/images.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

async function imageOf(bytes: Uint8Array, fields: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const response = await post(service, "to-images", { file: pdfPart(bytes), ...fields });
  expect(response.status, response.code).toBe(200);
  return response.body;
}

describe("600 dpi", () => {
  const page = (width: number, height: number): Uint8Array => drawing(textPage({ width, height, color: true }));
  const u16 = (bytes: Uint8Array, at: number, little = false): number =>
    new DataView(bytes.buffer, bytes.byteOffset).getUint16(at, little);

  test("PNG and JPEG show the same at 600 dpi, in several bands", async () => {
    const quarter = page(306, 396);
    const png = readPng(await imageOf(quarter, { dpi: "600" }));
    expect(png).toMatchObject({ width: 2550, height: 3300, dpi: 600, channels: 3 });
    const jpeg = readJpeg(await imageOf(quarter, { dpi: "600", format: "jpeg" }));
    expect(jpeg).toMatchObject({ width: 2550, height: 3300, dpi: 600, channels: 3 });
    expect(difference(jpeg, png, 7)).toBeLessThan(1);
  });

  test("Letter is drawn at 600 dpi in every format", async () => {
    const letter = page(612, 792);
    const png = await imageOf(letter, { dpi: "600" });
    expect([u16(png, 18), u16(png, 22)]).toEqual([5100, 6600]);
    expect(new TextDecoder().decode(png.subarray(-8, -4))).toBe("IEND");
    const jpeg = await imageOf(letter, { dpi: "600", format: "jpeg" });
    const frame = jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xc0);
    expect([u16(jpeg, frame + 7), u16(jpeg, frame + 5)]).toEqual([5100, 6600]);
    expect([...jpeg.subarray(-2)]).toEqual([0xff, 0xd9]);
    const webp = await imageOf(letter, { dpi: "600", format: "webp" });
    expect(new TextDecoder().decode(webp.subarray(8, 16))).toBe("WEBPVP8 ");
    expect([u16(webp, 26, true), u16(webp, 28, true)]).toEqual([5100, 6600]);
  });
});
