/**
 * Looks at the pages of a response with two engines that the service does not use, pdf.js and PDFium: what must not change
 * is compared with the input's pages, what must be there (a stamp, a value, a rotation) is found, and words are counted.
 */
import { loadImage, createCanvas } from "@napi-rs/canvas";
import { BLOCK, blockErrors, blockMeans, type BlockMeans } from "./appearance.ts";
import { isImage, PAGES_PER_SHEET, type Case, type Input } from "./cases.ts";
import type { ApiResponse } from "../requests/client.ts";
import { selectedPages, type Mapping, type PageOrigin } from "./compare.ts";
import { imagesOf, readImage } from "./image-response.ts";
import { documentsOf } from "../requests/parts.ts";
import { readPdfiumPage } from "../engines/pdfium.ts";
import { openPdf } from "../engines/pdfjs.ts";
import { shownArea, shownSize, type PageView } from "../engines/pdfjs-page.ts";
import { readPage, type Area, type ShownWidget } from "../engines/render.ts";
import { luminance, type Picture } from "./ssim.ts";
import { commonWords, compareWords, countWords, totalOf, type WordCount } from "./word-count.ts";

/** What a look found. */
export interface Look {
  /** What is wrong, in words. */
  readonly problems: readonly string[];
  /** Words that the input's pages have and the output's do not, and the other way around, by the engine that counts more. */
  readonly lost: number;
  readonly won: number;
}

/** Pixels per point: 50 dpi, at which a line of small text is still five pixels high. */
const SCALE = 50 / 72;
/** Pixels of a page's longer side, at most. */
const LARGEST_SIDE = 800;

/**
 * Differences between the means of blocks of 8 by 8 pixels, 0 to 255, that pass. A line of text that is gone makes 20 and
 * more in its blocks; an engine that draws the same content twice makes 0.
 */
const SAME = 6;
/** The same content turned, and drawn turned back: the edges of letters fall on other pixels. */
const TURNED = 14;
/** The same content on a sheet, where it begins within a pixel. */
const IN_CELL = 20;
/** Images encoded anew and scaled down. */
const REDRAWN = 24;
/** In gray, of which engines that translate CMYK have their own idea; text that is lost is found by its words. */
const GRAY = 56;
/** The same page drawn by another engine: other fonts for those that are missing, other edges. */
const OTHER_ENGINE = 90;
/** Mean ink of a block, 0 to 255, of which another engine has to draw some. */
const MUCH_INK = 15;
/** An image decoded by another engine: CMYK has no single translation. */
const EMBEDDED = 40;
/** Beyond the colors between a page's and the stamp's: annotations over a stamp may blend with it. */
const BLENDED = 16;
/** The least difference that new ink makes somewhere in its area. */
const INK = 4;
/** Of the words that both engines read on a page, the part that extract-text has to find. */
const WORDS_FOUND = 0.9;
/** Of the ink of a form field, the part that must be left when it is flattened. */
const INK_KEPT = 0.5;
const WORDS_SHOWN = 5;

type Engine = "PDFium" | "pdf.js";

/** A page as an engine draws and reads it. */
interface Drawn {
  readonly picture: Picture;
  readonly means: BlockMeans;
  readonly words: WordCount;
  readonly text: string;
  /** Form fields, as pdf.js finds them. */
  readonly widgets: readonly ShownWidget[];
}

/** A page that is drawn, and how. */
interface Place {
  readonly bytes: Uint8Array;
  readonly password?: string | undefined;
  /** 0-based. */
  readonly page: number;
  /** Points of the page as it is shown after `turn`. */
  readonly size: readonly [width: number, height: number];
  /** Clockwise degrees by which the page is turned, beyond its own rotation. */
  readonly turn?: number;
  /** Pixels in a point; by default what makes 50 dpi, less for large pages. */
  readonly scale?: number;
}

const scaleFor = ([width, height]: Place["size"]): number => Math.min(SCALE, LARGEST_SIDE / Math.max(width, height));

async function draw(engine: Engine, place: Place): Promise<Drawn> {
  const { bytes, password, page, size, turn = 0, scale = scaleFor(size) } = place;
  if (engine === "PDFium") {
    const [width, height] = size.map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
    const { picture, text } = await readPdfiumPage(bytes, page, { password, width, height, turn });
    return { picture, means: blockMeans(picture), text, words: countWords(text), widgets: [] };
  }
  const { picture: rgba, text, widgets } = await readPage(bytes, page + 1, { password, scale, turn });
  const picture = withoutAlpha(rgba.pixels, rgba.stride);
  return { picture, means: blockMeans(picture), text, words: countWords(text), widgets };
}

function withoutAlpha(rgba: Uint8ClampedArray, width: number): Picture {
  const data = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4) {
    data[to++] = rgba[from] ?? 0;
    data[to++] = rgba[from + 1] ?? 0;
    data[to++] = rgba[from + 2] ?? 0;
  }
  return { width, height: rgba.length / 4 / width, components: 3, data };
}

/** Pages of inputs are drawn once for all calls; undefined where the engine does not open them. */
const drawnInputs = new WeakMap<Input, Map<string, Promise<Drawn | undefined>>>();

function drawInput(engine: Engine, input: Input, page: number): Promise<Drawn | undefined> {
  const known = drawnInputs.get(input) ?? new Map<string, Promise<Drawn | undefined>>();
  drawnInputs.set(input, known);
  const key = `${engine} ${page}`;
  const own = known.get(key) ?? drawPageOf(engine, input, page);
  known.set(key, own);
  return own;
}

async function drawPageOf(engine: Engine, input: Input, page: number): Promise<Drawn | undefined> {
  const { bytes, password, view } = input;
  const size = view?.pages[page] && shownSize(view.pages[page]);
  return size && draw(engine, { bytes, password, page, size }).catch(() => undefined);
}

/** What an operation draws on a page: where it may, and how much of it covers what is under it. */
interface Stamp {
  /** On a page of `width` by `height` points, as it is shown. */
  readonly area: Area;
  /** How far at most a color moves towards gray 136, of all of the way; 1 is opaque, in any color. */
  readonly opacity: number;
}

/** Points from the top that add-page-numbers takes for its line: margin, font size, descenders and marks. */
const NUMBER_LINE = 45;

/** Where the calls of `survivalCases` draw. */
function stampOf({ operation, parts }: Case, [width, height]: Place["size"]): Stamp | undefined {
  if (operation === "add-page-numbers") {
    return { area: [Math.min(width / 2, width - 150), 0, width, NUMBER_LINE], opacity: 1 };
  }
  // In the middle, from edge to edge; a line of twelve letters that fits the width is lower than a fifth of it.
  if (operation === "watermark") {
    const half = Math.min(width, height) / 5;
    return { area: [0, height / 2 - half, width, height / 2 + half], opacity: Number(parts["opacity"]) };
  }
  if (operation === "sign") {
    const box = JSON.parse(String(parts["field"])) as { x: number; y: number; width: number; height: number };
    return { area: [box.x, box.y, box.x + box.width, box.y + box.height], opacity: 1 };
  }
  return undefined;
}

/** The gray of a watermark, #888888. */
const WATERMARK_GRAY = 136;

/** Whether a block, in pixels, has a part in an area in points; one pixel more on each side, for smooth edges. */
const touches = ({ left, top }: BlockMeans[number], area: Area, scale: number): boolean =>
  left + BLOCK > area[0] * scale - 1 &&
  left < area[2] * scale + 1 &&
  top + BLOCK > area[1] * scale - 1 &&
  top < area[3] * scale + 1;

/** How far the picture of a page may be from what it was. */
interface Rule {
  readonly tolerance: number;
  readonly gray: boolean;
  readonly stamp: Stamp | undefined;
  /** Form fields may be drawn anew in their places, with no less than half of their ink. */
  readonly fields: readonly ShownWidget[];
  /** The field that has another value. */
  readonly filled: string | undefined;
  /** Places of annotations that go with the pages that they lead to, or that stay upright on a page that is turned. */
  readonly free: readonly Area[];
}

/** What is wrong with the picture of a page. `scale` is pixels in a point. */
function pictureProblems(before: Drawn, after: Drawn, rule: Rule, scale: number): string[] {
  const [one, other] = [before.picture, after.picture];
  if (one.width !== other.width || one.height !== other.height) {
    return [`${one.width} x ${one.height} pixels expected, got ${other.width} x ${other.height}`];
  }
  const gray = (drawn: Drawn): BlockMeans =>
    blockMeans({ ...drawn.picture, components: 1, data: luminance(drawn.picture) });
  const [was, is] = rule.gray ? [gray(before), gray(after)] : [before.means, after.means];
  const errors = blockErrors(was, is);
  const { stamp, fields, tolerance } = rule;
  const inStamp = was.map((block) => stamp !== undefined && touches(block, stamp.area, scale));
  const wrong = errors.flatMap((error, index) => {
    const [old, now] = [was[index], is[index]];
    if (!old || !now || error <= tolerance) return [];
    if ([...rule.free, ...fields.map(({ area }) => area)].some((area) => touches(old, area, scale))) return [];
    if (stamp !== undefined && inStamp[index] === true && isCovered(old.means, now.means, stamp)) return [];
    return [{ error, ...old }];
  });
  const problems: string[] = [];
  const worst = wrong.toSorted((a, b) => b.error - a.error)[0];
  if (worst) {
    const place = `${Math.round(worst.left / scale)}, ${Math.round(worst.top / scale)}`;
    problems.push(
      `${wrong.length} of ${errors.length} blocks differ, by ${Math.round(worst.error)} of 255 at ${place} (points from the top left)`,
    );
  }
  if (stamp !== undefined && !errors.some((error, index) => inStamp[index] === true && error >= INK)) {
    problems.push("nothing was drawn where the stamp should be");
  }
  const inkIn = (means: BlockMeans, area: Area): number =>
    means.reduce((sum, block) => sum + (touches(block, area, scale) ? inkOf(block) : 0), 0);
  for (const { name, area } of fields.filter((field) => field.name !== rule.filled)) {
    if (inkIn(is, area) < inkIn(was, area) * INK_KEPT) problems.push(`the field ${name} is shown no more`);
  }
  return problems;
}

/** Whether a stamp alone can have made one color of another: what is under it shows through. */
function isCovered(before: readonly number[], after: readonly number[], { opacity }: Stamp): boolean {
  if (opacity === 1) return true;
  return before.every((was, part) => {
    const full = was + (WATERMARK_GRAY - was) * opacity;
    const is = after[part] ?? 0;
    return is >= Math.min(was, full) - BLENDED && is <= Math.max(was, full) + BLENDED;
  });
}

/** A page of a response that is looked at. */
interface LookedPage {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** 0-based. */
  readonly page: number;
  readonly origin: PageOrigin;
  readonly source: Input;
  readonly mapping: Mapping;
}

/** The first page of the first document and the last page of the last, and the page of a field that is filled. */
function lookedPages(response: ApiResponse, one: Case): LookedPage[] {
  const documents = documentsOf(response);
  const { sources } = one;
  const view = sources[0]?.view;
  if (view === undefined) return [];
  const mappings: readonly Mapping[] = one.expected ?? [
    { kind: "rotate", pages: selectedPages(view.pages.map((_, page) => page)) },
  ];
  const last = mappings.length - 1;
  const filled = one.operation === "fill-form" ? filledField(one) : undefined;
  const wanted: (readonly [document: number, page: number])[] = [
    ...(filled === undefined ? [] : [[0, filled.page] as const]),
    [0, 0],
    [last, (mappings[last]?.pages.length ?? 1) - 1],
  ];
  return [...new Map(wanted.map((place) => [place.join(), place])).values()].flatMap(([index, page]) => {
    const [document, mapping] = [documents[index], mappings[index]];
    const origin = mapping?.pages[page];
    const source = origin && sources[origin.source];
    // Page numbers of one document among others would only repeat those of the only one.
    const name = `${document?.name ?? ""} page ${page + 1}`.trim();
    return document && mapping && origin && source ? [{ ...document, name, page, origin, source, mapping }] : [];
  });
}

/** The field that fill-form is asked to fill, its value and its page. */
function filledField({ parts, sources }: Case): { name: string; value: string; page: number } | undefined {
  const values = Object.entries(JSON.parse(String(parts["values"] ?? "{}")) as Record<string, unknown>);
  for (const [name, value] of values) {
    const page = sources[0]?.view?.fields.get(name)?.[0]?.["page"];
    if (typeof page === "number") return { name, value: String(value), page };
  }
  return undefined;
}

/**
 * Looks at a 200: at its first page, and where `thorough` at its last one, too. PDFium draws them; pdf.js, which takes ten
 * times as long, draws the first one where `thorough`.
 */
export async function lookAt(response: ApiResponse, one: Case, thorough: boolean): Promise<Look> {
  if (one.operation === "extract-text") return lookAtText(response, one);
  if (one.operation === "to-images") return { problems: await imageProblems(response, one), lost: 0, won: 0 };
  if (response.headers.get("Content-Type") === "application/json") return NOTHING;
  const [source] = one.sources;
  if (source && isImage(source.bytes)) return lookAtEmbedded(response, source.bytes);
  if (one.operation === "n-up") return lookAtSheets(response, one, thorough);
  const [first, ...others] = lookedPages(response, one);
  if (first === undefined) return NOTHING;
  const looks = [await lookAtPage("PDFium", first, one)];
  if (thorough) {
    looks.push(await lookAtPage("pdf.js", first, one));
    for (const page of others) looks.push(await lookAtPage("PDFium", page, one));
  }
  return combined(looks);
}

/**
 * Looks at the first and the last sheet of n-up, with pages in two columns and two rows: there are as many sheets as are needed, each page
 * looks in its cell as it did by itself, as large as fits and in the middle, and no words are lost.
 */
async function lookAtSheets(response: ApiResponse, one: Case, thorough: boolean): Promise<Look> {
  const [source] = one.sources;
  const pages = source?.view?.pages ?? [];
  if (source === undefined || pages.length === 0) return NOTHING;
  const sheets = (await openPdf(response.body, { password: one.password })).pages.map(shownSize);
  const count = Math.ceil(pages.length / PAGES_PER_SHEET);
  const counts = [sheets.length, Number(response.headers.get("X-Page-Count"))];
  if (counts.some((actual) => actual !== count)) {
    return { ...NOTHING, problems: [`${count} sheets expected, got ${sheets.length}, X-Page-Count ${counts[1]}`] };
  }
  const looks: Look[] = [];
  for (const index of thorough ? new Set([0, count - 1]) : [0]) {
    const place = { bytes: response.body, password: one.password, page: index, size: sheets[index] ?? [0, 0] } as const;
    looks.push(await lookAtSheet("PDFium", source, place));
    if (thorough && index === 0) looks.push(await lookAtSheet("pdf.js", source, place));
  }
  return combined(looks);
}

async function lookAtSheet(engine: Engine, source: Input, sheet: Place): Promise<Look> {
  const { page: index, size } = sheet;
  // A page as large as the sheet is drawn as large as anywhere else.
  const scale = scaleFor(size) * 2;
  const after = await draw(engine, { ...sheet, scale });
  const problems: string[] = [];
  const words: string[] = [];
  const views = source.view?.pages.slice(index * PAGES_PER_SHEET, (index + 1) * PAGES_PER_SHEET) ?? [];
  for (const [at, view] of views.entries()) {
    const page = index * PAGES_PER_SHEET + at;
    const own = shownSize(view);
    const [across, down] = [size[0] / 2, size[1] / 2];
    const fitting = Math.min(across / own[0], down / own[1]);
    const [left, top] = [
      (at % 2) * across + (across - own[0] * fitting) / 2,
      Math.floor(at / 2) * down + (down - own[1] * fitting) / 2,
    ];
    const { bytes, password } = source;
    const place = { bytes, password, page, size: own, scale: scale * fitting };
    const before = await draw(engine, place).catch(() => undefined);
    if (before === undefined) return NOTHING;
    const { width, height } = before.picture;
    const cell = (dx: number, dy: number): Picture =>
      cut(after.picture, width, height, Math.round(left * scale) + dx, Math.round(top * scale) + dy);
    const means = nearest(
      before.means,
      SHIFTS.flatMap((dx) => SHIFTS.map((dy) => blockMeans(cell(dx, dy)))),
    );
    const fields = (await drawInput("pdf.js", source, page))?.widgets ?? [];
    const rule: Rule = { tolerance: IN_CELL, gray: false, stamp: undefined, fields, filled: undefined, free: [] };
    const found = pictureProblems(before, { ...after, picture: before.picture, means }, rule, place.scale);
    problems.push(...found.map((problem) => `page ${page + 1} on sheet ${index + 1}, drawn by ${engine}: ${problem}`));
    words.push(before.text);
  }
  const { lost, won } = compareWords(countWords(words.join("\n")), after.words);
  const shown = lost.slice(0, WORDS_SHOWN).join(" ");
  if (lost.length > 0) problems.push(`sheet ${index + 1}, read by ${engine}: ${lost.length} words lost: ${shown}`);
  return { problems, lost: lost.length, won: won.length };
}

/** Pixels by which a page in a cell may be off: neither begins nor ends between pixels when it is drawn by itself. */
const SHIFTS = [-1, 0, 1];

/** Of several pictures, the block that is most like the one in `expected`, for each block. */
const nearest = (expected: BlockMeans, pictures: readonly BlockMeans[]): BlockMeans => {
  const errors = pictures.map((means) => blockErrors(expected, means));
  return expected.map((block, index) => {
    const own = errors.map((list) => list[index] ?? 255);
    return pictures[own.indexOf(Math.min(...own))]?.[index] ?? block;
  });
};

const NOTHING: Look = { problems: [], lost: 0, won: 0 };

const combined = (looks: readonly Look[]): Look => ({
  problems: looks.flatMap(({ problems }) => problems),
  lost: Math.max(0, ...looks.map(({ lost }) => lost)),
  won: Math.max(0, ...looks.map(({ won }) => won)),
});

async function lookAtPage(engine: Engine, looked: LookedPage, one: Case): Promise<Look> {
  const { name, bytes, page, origin, source, mapping } = looked;
  const before = await drawInput(engine, source, origin.page);
  const view = source.view?.pages[origin.page];
  if (before === undefined || view === undefined) return NOTHING;
  const size = shownSize(view);
  const turn = -(origin.rotate ?? 0);
  const say = (problem: string): string => `${name}, drawn by ${engine}: ${problem}`;
  let after: Drawn;
  try {
    after = await draw(engine, { bytes, password: one.password, page, size, turn });
  } catch (error) {
    return { problems: [say(`does not open: ${String(error)}`)], lost: totalOf(before.words), won: 0 };
  }
  const isForm = one.operation === "fill-form";
  const fields = isForm ? ((await drawInput("pdf.js", source, origin.page))?.widgets ?? []) : [];
  const filled = isForm ? filledField(one) : undefined;
  const isStamped = one.operation !== "sign" || page === 0;
  const rule: Rule = {
    tolerance: mapping.recolored === true ? GRAY : mapping.redrawn === true ? REDRAWN : turn === 0 ? SAME : TURNED,
    gray: mapping.recolored === true,
    stamp: isStamped ? stampOf(one, size) : undefined,
    fields,
    filled: filled?.name,
    free: [
      ...(mapping.kind === "select" ? linksGone(view, looked) : []),
      ...(turn === 0 ? [] : uprightAnnotations(view)),
    ],
  };
  const problems = pictureProblems(before, after, rule, scaleFor(size)).map(say);
  const { lost, won } = compareWords(before.words, after.words, countWords(origin.stamp ?? ""));
  if (lost.length > 0) problems.push(say(`${lost.length} words lost: ${lost.slice(0, WORDS_SHOWN).join(" ")}`));
  for (const text of [origin.stamp, filled?.page === page ? filled.value : undefined]) {
    if (text !== undefined && !isIn(text, after.text)) problems.push(say(`"${text}" is not in its text`));
  }
  return { problems, lost: lost.length, won: won.length };
}

function linksGone(view: PageView, { mapping, origin }: LookedPage): Area[] {
  const kept = new Set(mapping.pages.filter(({ source }) => source === origin.source).map(({ page }) => page));
  const gone = view.annotations.filter(
    ({ subtype, target }) => subtype === "Link" && target && !kept.has(target.page ?? -1),
  );
  return gone.map(({ rect }) => shownArea(view, rect));
}

/** The flag NoRotate of an annotation (ISO 32000-2, 12.5.3): it turns around its upper left corner. */
const NO_ROTATE = 16;

function uprightAnnotations(view: PageView): Area[] {
  const upright = view.annotations.filter(({ rest }) => (Number(rest["annotationFlags"]) & NO_ROTATE) !== 0);
  return upright.map(({ rect }) => {
    const [left, top, right, bottom] = shownArea(view, rect);
    const side = Math.max(right - left, bottom - top);
    return [left - side, top - side, right + side, bottom + side];
  });
}

/** Whether a text stands in another, in whatever order its words are read, white space aside. */
function isIn(text: string, whole: string): boolean {
  const within = whole.normalize("NFKC").replaceAll(/\s+/gu, "");
  return [...countWords(text).keys()].every(
    (word) => within.includes(word) || within.includes([...word].toReversed().join("")),
  );
}

/** Of the words that both engines read on the first and the last page, extract-text has to find nearly all. */
async function lookAtText(response: ApiResponse, one: Case): Promise<Look> {
  const [source] = one.sources;
  const last = (source?.view?.pages.length ?? 0) - 1;
  if (source === undefined || last < 0) return NOTHING;
  const { pages } = JSON.parse(new TextDecoder().decode(response.body)) as { pages: { text: string }[] };
  const looks: Look[] = [];
  for (const page of new Set([0, last])) {
    const pdfium = await drawInput("PDFium", source, page);
    if (pdfium === undefined) continue;
    const expected = commonWords(pdfium.words, countWords(source.view?.pages[page]?.text ?? ""));
    const actual = countWords(pages[page]?.text ?? "");
    const { lost, won } = compareWords(expected, actual);
    const isTooFew = lost.length > totalOf(expected) * (1 - WORDS_FOUND);
    const shown = lost.slice(0, WORDS_SHOWN).join(" ");
    const problem = `page ${page + 1}: ${lost.length} of ${totalOf(expected)} words are missing: ${shown}`;
    looks.push({ problems: isTooFew ? [problem] : [], lost: lost.length, won: won.length });
  }
  return combined(looks);
}

/** The images of the first and the last page: each block is as one of the engines draws it. */
async function imageProblems(response: ApiResponse, one: Case): Promise<string[]> {
  const [source] = one.sources;
  const images = imagesOf(response);
  const problems: string[] = [];
  for (const index of new Set([0, images.length - 1])) {
    const [image, view] = [images[index], source?.view?.pages[index]];
    if (!source || !image || !view) continue;
    const [name, bytes] = image;
    const picture = samplesOf(readImage(name, bytes));
    const size = shownSize(view);
    const place = { bytes: source.bytes, password: source.password, page: index, size, scale: picture.width / size[0] };
    const drawn: Picture[] = [];
    for (const engine of ["PDFium", "pdf.js"] as const) {
      const own = await draw(engine, place).catch(() => undefined);
      if (own) drawn.push(own.picture);
    }
    const found = [leastError(picture, drawn, OTHER_ENGINE), missingInk(picture, drawn)];
    problems.push(...found.flatMap((problem) => (problem === undefined ? [] : [`${name}: ${problem}`])));
  }
  return problems;
}

/** How far a block is from white, 0 to 255. */
const inkOf = ({ means }: BlockMeans[number]): number => 255 - Math.min(...means);

/** Pixels by which engines differ on where a line is. */
const LINE_SHIFT = 2;

/** Blocks that are white in a picture where all other pictures have ink: a line of text that is not drawn. */
function missingInk(picture: Picture, others: readonly Picture[]): string | undefined {
  if (others.length === 0) return undefined;
  const drawn = others.map(blockMeans);
  const missing = blockMeans(picture).filter(({ left, top }, index) => {
    if (!drawn.every((blocks) => blocks[index] !== undefined && inkOf(blocks[index]) > MUCH_INK)) return false;
    return isWhite(picture, left - LINE_SHIFT, top - LINE_SHIFT, BLOCK + 2 * LINE_SHIFT);
  });
  const [first] = missing;
  return first && `${missing.length} blocks are empty, at ${first.left}, ${first.top} (pixels from the top left)`;
}

function isWhite({ width, height, data }: Picture, left: number, top: number, side: number): boolean {
  for (let y = Math.max(0, top); y < Math.min(height, top + side); y++) {
    const row = data.subarray((y * width + Math.max(0, left)) * 3, (y * width + Math.min(width, left + side)) * 3);
    if (row.some((sample) => sample < 255 - MUCH_INK)) return false;
  }
  return true;
}

/** The page of an image is the image, as Skia decodes it, with its EXIF orientation. */
async function lookAtEmbedded(response: ApiResponse, bytes: Uint8Array): Promise<Look> {
  const [document] = documentsOf(response);
  if (!document) return NOTHING;
  const image = await loadImage(Buffer.from(bytes));
  const scale = Math.min(1, LARGEST_SIDE / Math.max(image.width, image.height));
  const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  const context = createCanvas(width, height).getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  const expected = withoutAlpha(context.getImageData(0, 0, width, height).data, width);
  const pdfium = await readPdfiumPage(document.bytes, 0, { width, height });
  const [page] = (await openPdf(document.bytes)).pages;
  const { picture } = await readPage(document.bytes, 1, { scale: page ? width / shownSize(page)[0] : 1 });
  const drawn = [pdfium.picture, withoutAlpha(picture.pixels, picture.stride)];
  const problem = leastError(expected, drawn, EMBEDDED);
  return { problems: problem === undefined ? [] : [problem], lost: 0, won: totalOf(countWords(pdfium.text)) };
}

/** What is wrong with a picture of which each block must be as in one of others; their sides may differ by a pixel. */
function leastError(picture: Picture, others: readonly Picture[], tolerance: number): string | undefined {
  const width = Math.min(picture.width, ...others.map((other) => other.width));
  const height = Math.min(picture.height, ...others.map((other) => other.height));
  const tooSmall = [picture, ...others].find((one) => one.width > width + 1 || one.height > height + 1);
  if (tooSmall) return `pictures of ${tooSmall.width} x ${tooSmall.height} and ${width} x ${height} pixels`;
  const own = blockMeans(cut(picture, width, height));
  const errors = others.map((other) => blockErrors(own, blockMeans(cut(other, width, height))));
  const least = own.map((_, index) => Math.min(...errors.map((list) => list[index] ?? 0)));
  const worst = least.reduce((largest, error) => Math.max(largest, error), 0);
  if (others.length === 0 || worst <= tolerance) return undefined;
  const { left = 0, top = 0 } = own[least.indexOf(worst)] ?? {};
  const count = least.filter((error) => error > tolerance).length;
  return `${count} of ${least.length} blocks differ, by ${Math.round(worst)} of 255 at ${left}, ${top} (pixels from the top left)`;
}

/** A part of a picture, in pixels from its top left. What is outside of the picture is white. */
function cut({ width: own, components, data }: Picture, width: number, height: number, left = 0, top = 0): Picture {
  const rows = new Uint8Array(width * height * components).fill(255);
  const [first, last] = [Math.max(0, left), Math.min(own, left + width)];
  for (let y = Math.max(0, -top); y < height; y++) {
    const row = (top + y) * own;
    rows.set(
      data.subarray((row + first) * components, (row + last) * components),
      (y * width + first - left) * components,
    );
  }
  return { width, height, components, data: rows };
}

function samplesOf({ width, height, at }: ReturnType<typeof readImage>): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 3) data.set(at(x, y), to);
  }
  return { width, height, components: 3, data };
}
