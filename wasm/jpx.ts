/**
 * Lets MuPDF decode only what it needs of JPEG 2000. It asks each decoder for a part of an image, and for a power of two by which that is reduced, but
 * decodes JPEG 2000 as a whole and reduces the samples afterwards: an image of 35 megapixels takes 500 MB to draw a thumbnail. OpenJPEG can leave out
 * the highest resolution levels, and decode an area (ISO/IEC 15444-1, 5.3 and B.5); all that is missing is to tell it.
 *
 * Where MuPDF decodes an image, the last entry of table 0, which is added here, is called: (image, data, size, power, part) -> (). `power` is the
 * address of the power of two, `part` of the rectangle (x0, y0, x1, y1 in samples), or 0. That function sets the globals that are added here: `$reduce`,
 * levels that are left out, which it subtracts from the power; and `$area`, the address of the part that it has rounded, with `$part`, the image whose
 * part that is. Both are 0 for all of the image. Nothing is imported, so no index of the binary shifts.
 */
import { BinaryReader, concatenated, leb, name, section, SECTION, signedLeb } from "./wasm-binary.ts";

const I32 = 0x7f;

const get = (local: number): number[] => [0x20, local];
const constant = (value: number): number[] => [0x41, ...signedLeb(value)];
const load = (offset: number): number[] => [0x28, 0x02, ...leb(offset)];
const store = (offset: number): number[] => [0x36, 0x02, ...leb(offset)];
const [ADD, SUBTRACT, MULTIPLY, OR, SHIFT_RIGHT, EQUAL] = [0x6a, 0x6b, 0x6c, 0x72, 0x75, 0x46];

/** @throws Error where the binary does not read as the one that wasm/SOURCES.md names. */
export function withReducedJpx(binary: Uint8Array): Uint8Array {
  const reader = new BinaryReader(binary);
  reader.header();
  const sections: { id: number; content: Uint8Array }[] = [];
  while (!reader.done) sections.push(reader.section());
  const of = (id: number): BinaryReader => {
    const found = sections.find((candidate) => candidate.id === id);
    if (!found) throw new Error(`wasm/jpx.ts: the binary has no section ${id}`);
    return new BinaryReader(found.content);
  };
  const imports = of(SECTION.import).imports();
  const zero = [I32, 0x01, 0x41, 0x00, 0x0b];
  const globals = of(SECTION.global).appended(zero, zero, zero);
  const [reduce, area, part] = [3, 2, 1].map((fromEnd) => imports.globals + globals.count - fromEnd);
  if (reduce === undefined || area === undefined || part === undefined) throw new Error("unreachable");
  const table = of(SECTION.table).largerTable();
  const exported = Object.entries({ $reduce: reduce, $area: area, $part: part });
  const replaced: Record<number, Uint8Array> = {
    [SECTION.global]: globals.content,
    [SECTION.table]: table.content,
    [SECTION.export]: of(SECTION.export).appended(
      ...exported.map(([label, index]) => [...name(label), 0x03, ...leb(index)]),
    ).content,
    [SECTION.code]: edited(
      of(SECTION.code),
      editsFor({ reduce, area, part }, table.last, {
        ask: of(SECTION.type).typeNumber([0x60, 5, I32, I32, I32, I32, I32, 0]),
        setArea: of(SECTION.type).typeNumber([0x60, 7, I32, I32, I32, I32, I32, I32, I32, 1, I32]),
      }),
    ),
  };
  const parts = [binary.subarray(0, 8), ...sections.map(({ id, content }) => section(id, replaced[id] ?? content))];
  return concatenated(parts);
}

/** In a pattern, the number of any function: another version of MuPDF has others. */
const ANY_FUNCTION = -1;
const ANY_LEB = "[\\x80-\\xff]*[\\x00-\\x7f]";

interface Edit {
  readonly what: readonly number[];
  /** Takes its place, or is put before it. */
  readonly by?: readonly number[];
  readonly before?: readonly number[];
}

/** A pattern for text with a character for each byte. */
const patternOf = (what: readonly number[]): RegExp =>
  new RegExp(
    what.map((byte) => (byte === ANY_FUNCTION ? ANY_LEB : `\\x${byte.toString(16).padStart(2, "0")}`)).join(""),
    "s",
  );

function editsFor(
  globals: { readonly reduce: number; readonly area: number; readonly part: number },
  entry: number,
  types: { readonly ask: number; readonly setArea: number },
): readonly Edit[] {
  const read = (global: number): number[] => [0x23, ...leb(global)];
  const clear = (global: number): number[] => [0x41, 0x00, 0x24, ...leb(global)];
  // compressed_image_get_pixmap: fz_load_jpx(context, data, size, space)
  const decode = [...get(0), ...get(14), ...get(17), ...get(8), 0x10, ANY_FUNCTION];
  const ask = [...[1, 14, 17, 10, 2].flatMap(get), ...constant(entry), 0x11, ...leb(types.ask), 0x00];
  // The same, at its end: part == NULL || can_sub. Otherwise the part becomes all of the image.
  const [noPart, canSub] = [[...get(2), 0x45], get(20)];
  const own = [...read(globals.part), ...get(1), EQUAL, OR];
  // fz_load_jpx_info: jpx_read_image(..., onlymeta = 1)
  const information = [...get(2), ...get(8), 0x41, 0x01, 0x10, ANY_FUNCTION];
  // opj_j2k_setup_decoder: decoder->m_reduce = parameters->cp_reduce
  const setUp = [...get(0), ...get(1), ...load(0), ...store(184)];
  // jpx_read_image: codec->opj_decode(codec->m_codec, stream, image, &codec->m_event_mgr)
  const [codec, stream, image] = [get(22), get(8), get(7)];
  const call = [...codec, ...load(48), ...stream, ...image, ...codec, ...constant(52), ADD, ...codec, ...load(4)];
  // codec->opj_set_decode_area(codec->m_codec, image, x0, y0, x1, y1, &codec->m_event_mgr), or a trap where it fails
  const arguments_ = [codec, load(48), image, ...[0, 4, 8, 12].flatMap((side) => [read(globals.area), load(side)])];
  const setArea = [
    [...read(globals.area), 0x04, 0x40],
    ...arguments_,
    [...codec, ...constant(52), ADD, ...codec, ...load(32)],
    [0x11, ...leb(types.setArea), 0x00, 0x45, 0x04, 0x40, 0x00, 0x0b],
    [...clear(globals.area), 0x0b],
  ].flat();
  // jpx_read_image: w = image->x1 - image->x0; h = image->y1 - image->y0, before they are divided by two for each level that is left out
  const reduced = (from: readonly number[], to: readonly number[]): number[] => {
    const factor = [...get(20), ...load(24), ...load(40)];
    return [...from, ...to, SUBTRACT, ...factor, SHIFT_RIGHT, 0x41, 0x7f, MULTIPLY];
  };
  const [left, right, top, bottom] = [[...get(20), ...load(0)], [...get(20), ...load(8)], get(8), get(7)];
  const [width, height] = [
    [0x22, 18],
    [0x22, 17],
  ];
  return [
    { what: [...right, ...left, SUBTRACT, ...width], by: [...reduced(left, right), ...width] },
    { what: [...bottom, ...top, SUBTRACT, ...height], by: [...reduced(top, bottom), ...height] },
    { what: decode, before: ask },
    { what: [...noPart, ...canSub, OR, 0x45, 0x04, 0x40], by: [...noPart, ...canSub, OR, ...own, 0x45, 0x04, 0x40] },
    { what: information, before: [...clear(globals.reduce), ...clear(globals.area)] },
    { what: setUp, by: [...get(0), ...read(globals.reduce), ...store(184), ...clear(globals.reduce)] },
    { what: call, before: setArea },
  ];
}

/** A code section in which instructions that occur once are replaced by others. */
function edited(reader: BinaryReader, edits: readonly Edit[]): Uint8Array {
  const count = edits.map(() => 0);
  const patterns = edits.map((edit) => ({ ...edit, pattern: patternOf(edit.what) }));
  const bodies = reader.vector(() => {
    const length = reader.u32();
    const start = reader.at;
    reader.skip(length);
    let body = reader.bytes.subarray(start, reader.at);
    for (const [index, { pattern, by, before = [] }] of patterns.entries()) {
      const match = pattern.exec(Buffer.from(body).toString("latin1"));
      if (!match) continue;
      count[index] = (count[index] ?? 0) + 1;
      const end = match.index + match[0].length;
      const put = by ? Uint8Array.from(by) : concatenated([Uint8Array.from(before), body.subarray(match.index, end)]);
      body = concatenated([body.subarray(0, match.index), put, body.subarray(end)]);
    }
    return body;
  });
  const isOnce = count.every((times) => times === 1);
  if (!isOnce) throw new Error(`wasm/jpx.ts: expected each edit in one function, found ${count.join(", ")}`);
  const parts = bodies.flatMap((body) => [Uint8Array.from(leb(body.length)), body]);
  return concatenated([Uint8Array.from(leb(bodies.length)), ...parts]);
}

/** A module with one function, `ask`, for MuPDF's table. It calls its import of the same name: only a function of a module can stand in a table. */
export function jpxModule(): Uint8Array {
  const [imported, exported] = [0, 1];
  const body = [0x00, ...[0, 1, 2, 3, 4].flatMap(get), 0x10, imported, 0x0b];
  return concatenated([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(SECTION.type, Uint8Array.from([1, 0x60, 5, I32, I32, I32, I32, I32, 0])),
    section(SECTION.import, Uint8Array.from([1, ...name("jpx"), ...name("ask"), 0x00, 0])),
    section(SECTION.function, Uint8Array.from([1, 0])),
    section(SECTION.export, Uint8Array.from([1, ...name("ask"), 0x00, exported])),
    section(SECTION.code, Uint8Array.from([1, ...leb(body.length), ...body])),
  ]);
}
