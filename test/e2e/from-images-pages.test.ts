import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post } from "../harness/requests/client.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { drawPage, type DrawnPage } from "../harness/engines/drawn-page.ts";
import { ImageCalls } from "../harness/requests/image-pdf-response.ts";
import { makeJpeg, withExif } from "../harness/images/jpeg-fixtures.ts";
import { numbers32, writePng } from "../harness/images/png-writer.ts";

const { baseUrl, liveKey } = ownServer();
const calls = new ImageCalls({ baseUrl, key: liveKey });

type Fields = Readonly<Record<string, string>>;

const png = (width: number, height: number): Uint8Array =>
  writePng({ width, height, colorType: 2, depth: 8 }, (x, _, channel) =>
    channel === (x < width / 2 ? 0 : 2) ? 255 : 0,
  );

const draw = async (image: Uint8Array, fields: Fields): Promise<DrawnPage> =>
  drawPage(await calls.pdf([image], fields));
const sizeOf = ({ width, height }: DrawnPage): number[] => [width, height].map((side) => Math.round(side * 100) / 100);

/** Where the drawing begins and ends along a row or column through the middle. Points from the left or from the top. */
function extent(page: DrawnPage): { x: [number, number]; y: [number, number] } {
  const [middleX, middleY] = [Math.floor(page.width / 2), Math.floor(page.height / 2)];
  const ends = (length: number, isDrawn: (at: number) => boolean): [number, number] => {
    const places = Array.from({ length: Math.floor(length) }, (_, at) => at).filter(isDrawn);
    return [places[0] ?? Number.NaN, (places.at(-1) ?? Number.NaN) + 1];
  };
  return {
    x: ends(page.width, (x) => page.at(x, middleY)[3] > 127),
    y: ends(page.height, (y) => page.at(middleX, y)[3] > 127),
  };
}

describe("page sizes", () => {
  const wide = png(200, 100);
  const tall = png(100, 200);
  test.each([
    [wide, {}, [200, 100]],
    [wide, { marginPt: "10" }, [220, 120]],
    [wide, { pageSize: "auto", fit: "contain" }, [200, 100]],
    [wide, { pageSize: "a4" }, [595.28, 841.89]],
    [wide, { pageSize: "letter" }, [612, 792]],
    [wide, { pageSize: "legal", orientation: "landscape" }, [1008, 612]],
    [wide, { pageSize: "a4", orientation: "auto" }, [841.89, 595.28]],
    [tall, { pageSize: "a4", orientation: "auto" }, [595.28, 841.89]],
    [png(50, 50), { pageSize: "letter", orientation: "auto" }, [612, 792]],
  ] as [Uint8Array, Fields, number[]][])(
    "a page has the size of the image or the parameters: %# %j",
    async (image, fields, size) => {
      expect(sizeOf(await draw(image, fields))).toEqual(size);
    },
  );

  test("a page keeps its size when the PDF is changed and written again", async () => {
    for (const perMetre of [1601, 2834, 3779, 4999, 9073]) {
      const resolution = Buffer.concat([numbers32(perMetre, perMetre + 7), Buffer.from([1])]);
      const chunks = [["pHYs", resolution] as const];
      const image = writePng({ width: 2083, height: 1031, colorType: 0, depth: 8, chunks }, (x) => x % 256);
      const pdf = await calls.pdf([image]);
      const turned = await post({ baseUrl, key: liveKey }, "rotate", { file: pdfPart(pdf), angle: "90" });
      expect(turned.status).toBe(200);
      const boxOf = async (bytes: Uint8Array): Promise<unknown> =>
        (await PDFDocument.load(bytes)).getPage(0).getMediaBox();
      expect(await boxOf(turned.body)).toEqual(await boxOf(pdf));
    }
  });

  test("a page has the displayed size of an image that EXIF turns", async () => {
    const turned = withExif(
      makeJpeg({ width: 60, height: 40, components: 1 }, () => 99),
      { orientation: 8 },
    );
    expect(sizeOf(await draw(turned, { pageSize: "letter", orientation: "auto" }))).toEqual([612, 792]);
    expect(sizeOf(await draw(turned, {}))).toEqual([40, 60]);
  });

  test("a page never exceeds the limits of readers", async () => {
    const density = (perMetre: number): readonly [string, Uint8Array] => [
      "pHYs",
      Buffer.concat([numbers32(perMetre, perMetre), Buffer.from([1])]),
    ];
    // 10 dpi: 20,000 pixels are 144,000 points; 10,000 dpi: 4 pixels are 0.03.
    const image = (width: number, height: number, perMetre: number): Uint8Array =>
      writePng({ width, height, colorType: 0, depth: 1, chunks: [density(perMetre)] }, () => 1);
    const pages = (await openPdf(await calls.pdf([image(20_000, 100, 394), image(4, 8, 393_701)]))).pages;
    expect(pages[0]?.view).toEqual([0, 0, 14_400, 72]);
    expect(pages[1]?.view).toEqual([0, 0, 3, 6]);
    const framed = (await openPdf(await calls.pdf([image(20_000, 100, 394)], { marginPt: "200" }))).pages;
    expect(framed[0]?.view).toEqual([0, 0, 14_400, 470]);
  });
});

describe("fit", () => {
  const wide = png(200, 100);
  const letter = { pageSize: "letter", marginPt: "36" };
  test.each([
    ["contain, the default", {}, { x: [36, 576], y: [261, 531] }],
    ["contain", { fit: "contain" }, { x: [36, 576], y: [261, 531] }],
    ["stretch", { fit: "stretch" }, { x: [36, 576], y: [36, 756] }],
    ["cover", { fit: "cover" }, { x: [36, 576], y: [36, 756] }],
  ])("an image fits its page as requested: %s", async (_, fields, wanted) => {
    const page = await draw(wide, { ...letter, ...fields });
    expect(extent(page)).toEqual(wanted);
    // Red at the left, blue at the right, in the middle of the page where one meets the other.
    expect(page.at(300, 400).slice(0, 3)).toEqual([255, 0, 0]);
    expect(page.at(312, 400).slice(0, 3)).toEqual([0, 0, 255]);
  });

  test("cover cuts off the part that stretch squeezes", async () => {
    const border = writePng({ width: 200, height: 100, colorType: 0, depth: 8 }, (x) => (x < 20 ? 0 : 255));
    expect((await draw(border, { ...letter, fit: "stretch" })).at(40, 400)[0]).toBe(0);
    expect((await draw(border, { ...letter, fit: "cover" })).at(40, 400)[0]).toBe(255);
  });

  test("a margin surrounds a page of the image's own size", async () => {
    expect(extent(await draw(wide, { marginPt: "25" }))).toEqual({ x: [25, 225], y: [25, 125] });
  });
});

test("pages are in the order of the numbers, and no metadata is added", async () => {
  const images = [40, 10, 30, 20].map((width) => png(width, 12));
  const { pages, info, xmp } = await openPdf(await calls.pdf(images));
  expect(pages.map(({ view }) => view)).toEqual([40, 10, 30, 20].map((width) => [0, 0, width, 12]));
  expect([info, xmp]).toEqual([{}, null]);
});

test("the response is named after the first image", async () => {
  const { headers } = await calls.response([png(10, 10)]);
  expect(headers.get("Content-Disposition")).toBe('attachment; filename="picture 0-from-images.pdf"');
});

describe("conflicting parameters", () => {
  test.each([
    [{ pageSize: "a5" }, "pageSize", "must be auto, a4, letter, or legal"],
    [{ orientation: "sideways" }, "orientation", "must be portrait, landscape, or auto"],
    [
      { pageSize: "a4", marginPt: "298" },
      "marginPt",
      "must be less than half the page: at most 297 when `pageSize` is a4",
    ],
    [
      { pageSize: "letter", marginPt: "306" },
      "marginPt",
      "must be less than half the page: at most 305 when `pageSize` is letter",
    ],
    [{ marginPt: "7199" }, "marginPt", "must be a whole number from 0 to 7,198"],
    [{ marginPt: "-1" }, "marginPt", "must be a whole number from 0 to 7,198"],
    [{ marginPt: "1.5" }, "marginPt", "must be a whole number from 0 to 7,198"],
    [{ fit: "fill", pageSize: "a4" }, "fit", "must be contain, cover, or stretch"],
  ] as [Fields, string, string][])("conflicting parameters are refused: %j", async (fields, name, issue) => {
    const [status, code, , details] = await calls.refusal([png(10, 10)], fields);
    expect([status, code, details]).toEqual([400, "invalid_parameters", { fields: [{ name, issue }] }]);
  });

  test("the largest margins are accepted", async () => {
    expect(sizeOf(await draw(png(10, 10), { pageSize: "a4", marginPt: "297" }))).toEqual([595.28, 841.89]);
    expect(sizeOf(await draw(png(10, 10), { marginPt: "1000" }))).toEqual([2010, 2010]);
  });
});
