/** Headers, footers, borders, and text boxes of DOCX, at their places on each page. */
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { post } from "../harness/requests/client.ts";
import { docx, paragraph } from "../harness/fixtures/office-fixtures.ts";
import { openPdf, type TextPlace, textPlaces } from "../harness/engines/pdfjs.ts";
import { renderPage } from "../harness/engines/pdfjs-render.ts";
import type { Picture } from "../harness/images/images.ts";
import { writePng } from "../harness/images/png-writer.ts";

const { baseUrl, liveKey } = ownServer();

type Parts = Parameters<typeof docx>[1];

async function converted(body: string, parts: Parts = {}) {
  const file = { bytes: docx(body, parts), fileName: "file.docx" };
  const response = await post({ baseUrl, key: liveKey }, "to-pdf", { file });
  expect([response.status, response.message]).toEqual([200, undefined]);
  return response;
}

/** The pieces of text of each page. */
const placesOf = async (body: string, parts: Parts = {}): Promise<TextPlace[][]> =>
  textPlaces((await converted(body, parts)).body);

/** Pieces of text near each other in the order of reading, in points from the top. */
function linesOf(page: readonly TextPlace[], from: number, to: number): string {
  return page
    .filter(({ baseline }) => baseline >= from && baseline < to)
    .map(({ text }) => text.trim())
    .join(" ");
}

const [WIDTH, HEIGHT] = [400, 500];
const header = (page: readonly TextPlace[]): string => linesOf(page, 0, 60);
const footer = (page: readonly TextPlace[]): string => linesOf(page, HEIGHT - 60, HEIGHT);
const text = (page: readonly TextPlace[]): string => linesOf(page, 60, HEIGHT - 60);

/** The margins are 60 points, and headers and footers are 30 points from the edge. `margins`: others, in twentieths of a point. */
const section = (properties = "", type = "", margins: Readonly<Record<string, number>> = {}): string => {
  const all = { top: 1200, right: 1200, bottom: 1200, left: 1200, header: 600, footer: 600, ...margins };
  const attributes = Object.entries(all).map(([name, value]) => ` w:${name}="${value}"`);
  return `<w:sectPr>${properties}${type && `<w:type w:val="${type}"/>`}<w:pgSz w:w="${WIDTH * 20}" w:h="${HEIGHT * 20}"/><w:pgMar${attributes.join("")}/></w:sectPr>`;
};
const endOfSection = (properties = "", type = ""): string => `<w:p><w:pPr>${section(properties, type)}</w:pPr></w:p>`;
const reference = (part: string, type = "default"): string =>
  `<w:${part.replace(/\d+$/, "")}Reference w:type="${type}" r:id="r-${part}"/>`;
const NEXT_PAGE = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';
/** As many pages, each with a word. */
const pages = (...words: readonly string[]): string => words.map((word) => paragraph(word)).join(NEXT_PAGE);

const run = (content: string): string => `<w:r>${content}</w:r>`;
const field = (code: string): string =>
  `${run('<w:fldChar w:fldCharType="begin"/>')}${run(`<w:instrText> ${code} </w:instrText>`)}${run('<w:fldChar w:fldCharType="separate"/>')}${run("<w:t>77</w:t>")}${run('<w:fldChar w:fldCharType="end"/>')}`;
const word = (text: string): string => run(`<w:t xml:space="preserve">${text}</w:t>`);

type Color = readonly [number, number, number];
const isRed = ([r, g, b]: Color): boolean => r > 200 && g < 80 && b < 80;

/** The pixels of the first rows of a picture. */
const pixelsOf = ({ width, at }: Picture, rows: number): Color[] =>
  Array.from({ length: width * rows }, (_, index) => at(index % width, Math.floor(index / width)));

describe("headers and footers", () => {
  test("the header is within the top margin of each page, the footer within the bottom margin, and the text between them", async () => {
    const [first = [], second = []] = await placesOf(
      `${pages("One", "Two")}${section(reference("header1") + reference("footer1"))}`,
      { running: { header1: paragraph("Report"), footer1: paragraph("Confidential") } },
    );
    expect([header(first), text(first), footer(first)]).toEqual(["Report", "One", "Confidential"]);
    expect([header(second), text(second), footer(second)]).toEqual(["Report", "Two", "Confidential"]);
    const [top, one, bottom] = first;
    expect(top?.left).toBeCloseTo(60, 0);
    // The first line begins at the distance of the header, and the last one ends at that of the footer.
    expect(top?.baseline).toBeGreaterThan(30);
    expect(top?.baseline).toBeLessThan(46);
    expect(one?.baseline).toBeLessThan(76);
    expect(bottom?.baseline).toBeGreaterThan(HEIGHT - 38);
    expect(bottom?.baseline).toBeLessThan(HEIGHT - 30);
  });

  test("the first page and even pages have their own, if the section and the document have them", async () => {
    const names = ["first", "even", "default"];
    const references = names.map((type, index) => reference(`header${index}`, type)).join("");
    const running = Object.fromEntries(names.map((type, index) => [`header${index}`, paragraph(`The ${type}`)]));
    const body = pages("One", "Two", "Three", "Four");
    const headers = async (properties: string, settings: string): Promise<string[]> =>
      (await placesOf(`${body}${section(references + properties)}`, { running, settings })).map(header);
    expect(await headers("<w:titlePg/>", "<w:evenAndOddHeaders/>")).toEqual([
      "The first",
      "The even",
      "The default",
      "The even",
    ]);
    expect(await headers("", "")).toEqual(Array.from({ length: 4 }, () => "The default"));
    expect(await headers('<w:titlePg w:val="0"/>', '<w:evenAndOddHeaders w:val="false"/>')).toEqual(
      Array.from({ length: 4 }, () => "The default"),
    );
  });

  test("a section without a reference has the header of the one before, and one of its own otherwise", async () => {
    const found = await placesOf(
      paragraph("One") +
        endOfSection(reference("header1") + reference("footer1")) +
        paragraph("Two") +
        endOfSection(reference("footer2")) +
        paragraph("Three") +
        section(`${reference("header2")}<w:titlePg/>`),
      {
        running: {
          header1: paragraph("Head 1"),
          header2: paragraph("Head 2"),
          footer1: paragraph("Foot 1"),
          footer2: paragraph("Foot 2"),
        },
      },
    );
    expect(found.map((page) => [header(page), text(page), footer(page)])).toEqual([
      ["Head 1", "One", "Foot 1"],
      ["Head 1", "Two", "Foot 2"],
      // It has a first page, of which no section has a header or footer.
      ["", "Three", ""],
    ]);
  });

  test("a section that continues on a page has its header from the next page on", async () => {
    const found = await placesOf(
      `${paragraph("One")}${endOfSection(reference("header1"))}${pages("More", "Two")}${section(reference("header2"), "continuous")}`,
      { running: { header1: paragraph("Head 1"), header2: paragraph("Head 2") } },
    );
    expect(found.map((page) => [header(page), text(page)])).toEqual([
      ["Head 1", "One More"],
      ["Head 2", "Two"],
    ]);
  });

  test("the numbers of pages are right: over sections, from a start, in a format, and after a section that begins on an odd page", async () => {
    const footers = `<w:p>${word("Page ")}${field("PAGE \\* MERGEFORMAT")}${word(" of ")}<w:fldSimple w:instr=" NUMPAGES "><w:r><w:t>99</w:t></w:r></w:fldSimple>${word(", ")}${field("SECTIONPAGES \\* ROMAN")}</w:p>`;
    const found = await placesOf(
      pages("a", "b") +
        endOfSection(`${reference("footer1")}<w:pgNumType w:fmt="lowerRoman" w:start="3"/>`) +
        pages("c", "d", "e") +
        endOfSection("<w:pgNumType/>") +
        paragraph("f") +
        endOfSection('<w:pgNumType w:start="1"/>') +
        paragraph("g") +
        section("", "oddPage"),
      { running: { footer1: footers } },
    );
    expect(found.map((page) => footer(page).replace(/\s+/g, " ").replace(" ,", ","))).toEqual([
      "Page iii of 7, II",
      "Page iv of 7, II",
      "Page 5 of 7, III",
      "Page 6 of 7, III",
      "Page 7 of 7, III",
      "Page 1 of 7, I",
      "Page 3 of 7, I",
    ]);
  });

  test("tabs lead to the stops in the center and at the right, and stops of the style that are cleared do not", async () => {
    const stops = '<w:tabs><w:tab w:val="center" w:pos="2800"/><w:tab w:val="right" w:pos="5600"/></w:tabs>';
    const styles = `<w:style w:type="paragraph" w:styleId="Header"><w:name w:val="header"/><w:pPr>${stops}</w:pPr></w:style>`;
    const tab = run("<w:tab/>");
    const style = '<w:pStyle w:val="Header"/>';
    const three = `<w:p><w:pPr>${style}</w:pPr>${word("Left")}${tab}${word("Middle")}${tab}${word("Right")}</w:p>`;
    const cleared = `<w:p><w:pPr>${style}<w:tabs><w:tab w:val="clear" w:pos="2800"/></w:tabs></w:pPr>${word("Start")}${tab}${word("End")}</w:p>`;
    const [page = []] = await placesOf(`${paragraph("x")}${section(reference("header1") + reference("footer1"))}`, {
      styles,
      running: { header1: three, footer1: cleared },
    });
    const place = (text: string): TextPlace | undefined => page.find((one) => one.text === text);
    expect(place("Left")?.left).toBeCloseTo(60, 0);
    const middle = place("Middle");
    expect(((middle?.left ?? 0) + (middle?.right ?? 0)) / 2).toBeCloseTo(WIDTH / 2, 0);
    expect(place("Right")?.right).toBeCloseTo(WIDTH - 60, 0);
    expect(place("Right")?.baseline).toBe(place("Left")?.baseline);
    expect(place("Start")?.left).toBeCloseTo(60, 0);
    expect(place("End")?.right).toBeCloseTo(WIDTH - 60, 0);
  });

  test("a header that is higher than the margin moves the text down, on the first page by its own height", async () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, index) => paragraph(`line ${index}`)).join("");
    const body = `${pages("One", "Two")}${section(`${reference("header1", "first")}${reference("header2")}${reference("footer1", "first")}<w:titlePg/>`)}`;
    const running = { header1: lines(12), header2: lines(5), footer1: lines(10) };
    const [first = [], second = []] = await placesOf(body, { running });
    const at = (page: readonly TextPlace[], text: string): number =>
      page.find((one) => one.text === text)?.baseline ?? NaN;
    const height = at(second, "line 4") - at(second, "line 3");
    expect(at(first, "One") - at(first, "line 11")).toBeCloseTo(height, 0);
    expect(at(second, "Two") - at(second, "line 4")).toBeCloseTo(height, 0);
    expect(at(first, "line 11")).toBeGreaterThan(at(second, "line 4") + 6 * height);
    // Text that fills the page ends above the footer of the first page.
    const words = Array.from({ length: 60 }, (_, index) => paragraph(`text ${index}`)).join("");
    const [filled = []] = await placesOf(words + body, { running });
    const texts = filled.filter((one) => one.text.startsWith("text")).map(({ baseline }) => baseline);
    const feet = filled.filter((one) => one.text.startsWith("line")).map(({ baseline }) => baseline);
    expect(texts.length).toBeGreaterThan(2);
    expect(Math.max(...texts)).toBeLessThan(Math.min(...feet.filter((one) => one > Math.min(...texts))));
  });

  test("text begins and ends at negative margins, over a header and a footer that are higher", async () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, index) => paragraph(`line ${index}`)).join("");
    const words = Array.from({ length: 60 }, (_, index) => paragraph(`text ${index}`)).join("");
    const running = { header1: lines(5), footer1: lines(6) };
    const references = reference("header1") + reference("footer1");
    const pagesOf = async (margins: Record<string, number>, fields: Record<string, string> = {}) => {
      const file = { bytes: docx(`${words}${section(references, "", margins)}`, { running }), fileName: "file.docx" };
      return textPlaces((await post({ baseUrl, key: liveKey }, "to-pdf", { file, ...fields })).body);
    };
    const among = (page: readonly TextPlace[] = [], name: string): number[] =>
      page.filter(({ text }) => text.startsWith(name)).map(({ baseline }) => baseline);
    const [moved] = await pagesOf({});
    expect(Math.min(...among(moved, "text"))).toBeGreaterThan(100);
    expect(Math.max(...among(moved, "text"))).toBeLessThan(HEIGHT - 100);
    const over = await pagesOf({ top: -1200, bottom: -1200 });
    expect(over.map((page) => among(page, "line").length)).toEqual(over.map(() => 11));
    for (const page of over) {
      expect(Math.min(...among(page, "text"))).toBeGreaterThan(60);
      expect(Math.min(...among(page, "text"))).toBeLessThan(80);
    }
    expect(Math.max(...among(over[0], "text"))).toBeGreaterThan(HEIGHT - 80);
    expect(Math.max(...among(over[0], "text"))).toBeLessThan(HEIGHT - 60);
    // One of them, and margins of the client.
    const [top] = await pagesOf({ top: -1200 });
    expect(Math.min(...among(top, "text"))).toBeLessThan(80);
    expect(Math.max(...among(top, "text"))).toBeLessThan(HEIGHT - 100);
    const [own] = await pagesOf({ top: -1200, bottom: -1200 }, { marginTop: "50pt" });
    expect(Math.min(...among(own, "text"))).toBeGreaterThan(100);
  });

  test("the gutter is at the left of each page, or where the section and the document have it", async () => {
    const body = `${paragraph("One")}${paragraph("Right", '<w:jc w:val="right"/>')}${NEXT_PAGE}${paragraph("Two")}`;
    const placed = async (properties: string, settings: string): Promise<number[]> => {
      const found = await placesOf(`${body}${section(properties, "", { gutter: 800 })}`, { settings });
      const [one, right, two] = found.flat();
      return [one?.left, right?.right, two?.left, one?.baseline].map((place) => Math.round(place ?? NaN));
    };
    const line = 71;
    expect(await placed("", "")).toEqual([100, WIDTH - 60, 100, line]);
    expect(await placed("<w:rtlGutter/>", "")).toEqual([60, WIDTH - 100, 60, line]);
    expect(await placed("<w:rtlGutter/>", "<w:gutterAtTop/>")).toEqual([60, WIDTH - 60, 60, line + 40]);
    expect(await placed("", "<w:mirrorMargins/><w:gutterAtTop/>")).toEqual([100, WIDTH - 60, 100, line]);
  });

  test("a header with pictures, tables, and links shows them on each page, and its picture is stored once", async () => {
    const png = writePng({ width: 8, height: 8, colorType: 2, depth: 8 }, (_x, _y, channel) =>
      channel === 0 ? 255 : 0,
    );
    const picture =
      '<w:drawing><wp:inline><wp:extent cx="254000" cy="254000"/><a:graphic><a:graphicData><a:blip r:embed="rImage0"/></a:graphicData></a:graphic></wp:inline></w:drawing>';
    const cell = (content: string): string => `<w:tc><w:p>${content}</w:p></w:tc>`;
    const header1 = `<w:tbl><w:tr>${cell(run(picture))}${cell(field("PAGE"))}${cell(`<w:hyperlink r:id="rLink">${word("Site")}</w:hyperlink>`)}</w:tr></w:tbl><w:p/>`;
    const { body, headers } = await converted(`${pages("One", "Two")}${section(reference("header1"))}`, {
      running: { header1 },
      media: { "a.png": png },
    });
    expect(headers.get("X-Not-Converted")).toBeNull();
    const found = await textPlaces(body);
    expect(found.map((page) => page.map((one) => one.text).slice(0, 2))).toEqual([
      ["1", "Site"],
      ["2", "Site"],
    ]);
    const view = await openPdf(body);
    for (const page of view.pages) expect(page.annotations.map(({ url }) => url)).toEqual(["https://example.com/docx"]);
    for (const number of [1, 2]) {
      const drawn = await renderPage(body, number, 72);
      const red = pixelsOf(drawn, 100).filter(isRed);
      // 254,000 English Metric Units are 20 points.
      expect(red.length).toBeGreaterThan(300);
      expect(red.length).toBeLessThan(500);
    }
    expect(new TextDecoder("latin1").decode(body).match(/\/Subtype\s*\/Image/g)).toHaveLength(1);
  });

  test("a header that leaves no room for the text is cut, and reported", async () => {
    const { body, headers } = await converted(`${paragraph("Text")}${section(reference("header1"))}`, {
      running: { header1: paragraph("tall").repeat(200) },
    });
    expect(headers.get("X-Not-Converted")).toBe("headers");
    const [page = []] = await textPlaces(body);
    expect(page.at(-1)?.text).toBe("Text");
    expect(page.at(-1)?.baseline).toBeLessThan(HEIGHT - 60);
  });

  test("a header that refers to itself, and that hundreds of sections have, is on each page once", async () => {
    const { body } = await converted(`${paragraph("x")}${endOfSection(reference("header1"))}`.repeat(300) + section(), {
      running: {
        header1: `<w:p>${word("Head ")}${field("PAGE")}</w:p><w:p><w:hyperlink r:id="r-header1">${word("self")}</w:hyperlink></w:p>`,
      },
    });
    const found = await textPlaces(body);
    const firstLine = (page: readonly TextPlace[]): string =>
      page
        .filter(({ baseline }) => baseline === page[0]?.baseline)
        .map((piece) => piece.text)
        .join("");
    expect(found.map(firstLine)).toEqual(Array.from({ length: 300 }, (_, index) => `Head ${index + 1}`));
  });
});

describe("borders of paragraphs", () => {
  const border = (side: string, size = 16): string =>
    `<w:${side} w:val="single" w:sz="${size}" w:space="4" w:color="FF0000"/>`;
  const box = `<w:pBdr>${["top", "left", "bottom", "right"].map((side) => border(side)).join("")}</w:pBdr>`;

  /** The heights in points at which a row of pixels is red for most of the width of the text. */
  async function redLines(body: string): Promise<number[]> {
    const { body: pdf } = await converted(`${body}${section()}`);
    const drawn = await renderPage(pdf, 1, 144);
    const rows: number[] = [];
    for (let y = 0; y < drawn.height; y++) {
      let red = 0;
      for (let x = 0; x < drawn.width; x++) if (isRed(drawn.at(x, y))) red += 1;
      if (red <= drawn.width / 2) continue;
      if (rows.at(-1) === y - 1) rows[rows.length - 1] = y;
      else rows.push(y);
    }
    return rows;
  }

  test("a paragraph with a border has one line above and one below it", async () => {
    expect(await redLines(paragraph("Boxed", box))).toHaveLength(2);
    expect(await redLines(paragraph("Ruled", `<w:pBdr>${border("bottom")}</w:pBdr>`))).toHaveLength(1);
  });

  test("neighbors with the same borders are in one box, and others are not", async () => {
    const two = paragraph("One", box) + paragraph("Two", box);
    expect(await redLines(two)).toHaveLength(2);
    const between = box.replace("</w:pBdr>", `${border("between")}</w:pBdr>`);
    expect(await redLines(paragraph("One", between) + paragraph("Two", between))).toHaveLength(3);
    expect(await redLines(`${paragraph("One", box)}<w:p/>${paragraph("Two", box)}`)).toHaveLength(4);
    const indented = paragraph("Two", `${box}<w:spacing w:before="200"/><w:ind w:left="400"/>`);
    expect(await redLines(paragraph("One", box) + indented)).toHaveLength(4);
  });

  test("shading fills the space between neighbors", async () => {
    const shaded = (text: string): string =>
      paragraph(text, '<w:spacing w:before="400" w:after="400"/><w:shd w:val="clear" w:fill="00FF00"/>');
    const { body } = await converted(`${shaded("One")}${shaded("Two")}${section()}`);
    const drawn = await renderPage(body, 1, 72);
    const column = Array.from({ length: drawn.height }, (_, y) => {
      const [r, g, b] = drawn.at(200, y);
      return r < 60 && g > 200 && b < 60;
    });
    const [from, to] = [column.indexOf(true), column.lastIndexOf(true)];
    expect(to - from).toBeGreaterThan(45);
    expect(column.slice(from, to + 1).every(Boolean)).toBe(true);
  });
});

describe("text boxes", () => {
  const content = `<w:txbxContent>${paragraph("Boxed")}</w:txbxContent>`;
  const shape = `<a:graphic><a:graphicData><wps:wsp><wps:spPr/><wps:txbx>${content}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>`;
  const EMU = 12_700;
  const anchored = (position: string, wrap = "None", width = 100): string =>
    `<w:p>${word("Anchor")}<w:r><w:drawing><wp:anchor>${position}<wp:extent cx="${width * EMU}" cy="${40 * EMU}"/><wp:wrap${wrap}/>${shape}</wp:anchor></w:drawing></w:r></w:p>`;
  const at = (name: string, from: string, place: string): string =>
    `<wp:position${name} relativeFrom="${from}">${place}</wp:position${name}>`;
  const offset = (points: number): string => `<wp:posOffset>${points * EMU}</wp:posOffset>`;
  const boxed = (pages: readonly (readonly TextPlace[])[]): TextPlace | undefined =>
    pages[0]?.find(({ text }) => text === "Boxed");

  test("a box at a place of the page is there, and leaves the text alone", async () => {
    const position = at("H", "page", offset(200)) + at("V", "page", offset(300));
    const found = await placesOf(`${anchored(position)}${paragraph("Next")}${section()}`);
    // With a padding of three points.
    expect(boxed(found)?.left).toBeCloseTo(203.5, 0);
    expect(boxed(found)?.baseline).toBeGreaterThan(303);
    expect(boxed(found)?.baseline).toBeLessThan(320);
    const [anchor, next] = ["Anchor", "Next"].map((text) => found[0]?.find((one) => one.text === text)?.baseline ?? 0);
    expect((next ?? 0) - (anchor ?? 0)).toBeLessThan(30);
  });

  test("a box aligned to the margins is at the right and at the bottom", async () => {
    const position = at("H", "margin", "<wp:align>right</wp:align>") + at("V", "margin", "<wp:align>bottom</wp:align>");
    const found = await placesOf(`${anchored(position)}${section()}`);
    expect(boxed(found)?.left).toBeCloseTo(WIDTH - 60 - 100 + 3.5, 0);
    expect(boxed(found)?.baseline).toBeGreaterThan(HEIGHT - 60 - 40);
  });

  test("a box that text flows around is after its paragraph, as far from the left and as wide as it was", async () => {
    const position = at("H", "column", offset(90)) + at("V", "paragraph", offset(10));
    const found = await placesOf(`${anchored(position, "Square")}${paragraph("Next")}${section()}`);
    expect(boxed(found)?.left).toBeCloseTo(153.5, 0);
    expect(found[0]?.map(({ text }) => text)).toEqual(["Anchor", "Boxed", "Next"]);
  });

  test("a box of VML at a place of the page is there, and one in a header is on each page", async () => {
    const vml = `<w:p>${word("Anchor")}<w:r><w:pict><v:shape style="position:absolute;margin-left:150pt;margin-top:200pt;width:100pt;height:40pt;mso-position-horizontal-relative:page;mso-position-vertical-relative:page"><v:textbox>${content}</v:textbox></v:shape></w:pict></w:r></w:p>`;
    const inText = await placesOf(`${vml}${section()}`);
    const inHeader = await placesOf(`${pages("One", "Two")}${section(reference("header1"))}`, {
      running: { header1: vml },
    });
    for (const page of [...inText, ...inHeader]) {
      const place = boxed([page]);
      expect(place?.left).toBeCloseTo(153.5, 0);
      expect(place?.baseline).toBeGreaterThan(203);
      expect(place?.baseline).toBeLessThan(220);
    }
    expect(inHeader).toHaveLength(2);
  });

  test("a watermark of a header is in the middle of each page", async () => {
    const watermark =
      '<w:p><w:r><w:pict><v:shapetype/><v:shape fillcolor="silver" style="position:absolute;margin-left:0;margin-top:0;width:240pt;height:60pt;z-index:-1;mso-position-horizontal:center;mso-position-horizontal-relative:margin;mso-position-vertical:center;mso-position-vertical-relative:margin"><v:textpath on="t" string="DRAFT"/></v:shape></w:pict></w:r></w:p>';
    const [page = []] = await placesOf(`${paragraph("Text")}${section(reference("header1"))}`, {
      running: { header1: watermark },
    });
    const draft = page.find(({ text }) => text === "DRAFT");
    expect(((draft?.left ?? 0) + (draft?.right ?? 0)) / 2).toBeCloseTo(WIDTH / 2, -0.5);
    expect(draft?.baseline).toBeGreaterThan(HEIGHT / 2 - 20);
    expect(draft?.baseline).toBeLessThan(HEIGHT / 2 + 40);
    expect(text(page)).toContain("Text");
  });
});
