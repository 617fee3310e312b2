/**
 * Lets MuPDF decode only the needed part of JPEG 2000. It asks each decoder for a part of an image, reduced by a power of two. But it decodes JPEG
 * 2000 as a whole and reduces the samples afterwards: an image of 35 megapixels takes 500 MB to draw a thumbnail. OpenJPEG can leave out the highest
 * resolution levels, and decode an area (ISO/IEC 15444-1, 5.3 and B.5); all that is missing is to tell it.
 *
 * Where MuPDF decodes an image, the last entry of table 0, which is added here, is called: (image, data, size, power, part) -> (). `power` is the
 * address of the power of two, `part` of the rectangle (x0, y0, x1, y1 in samples), or 0. That function sets the globals that are added here.
 * `$reduce`: omitted levels, which it subtracts from the power. `$area`: the address of the rounded part. `$part`: the image of that part. Both are 0
 * for all of the image. Nothing is imported, so no index of the binary shifts.
 */
import { editFunctions, type FunctionEdit, functionNames, type Instruction } from "./edit-functions.ts";
import { BinaryReader, concatenated, leb, name, section, SECTION } from "./wasm-binary.ts";

const I32 = 0x7f;

/** Offsets in OpenJPEG's structs: opj_codec_private_t, opj_image_t, opj_image_comp_t, and opj_j2k_t (src/lib/openjp2/opj_codec.h, openjpeg.h, j2k.h). */
const CODEC = { decode: 4, setArea: 32, own: 48, messages: 52 } as const;
const IMAGE = { x0: 0, y0: 4, x1: 8, y1: 12, components: 24 } as const;
const COMPONENT = { factor: 40 } as const;
const DECODER = { reduce: 184 } as const;

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
    [SECTION.code]: editFunctions(
      of(SECTION.code).bytes,
      { names: functionNames(binary), imported: imports.functions },
      editsFor({ reduce, area, part }, table.last, {
        ask: of(SECTION.type).typeNumber([0x60, 5, I32, I32, I32, I32, I32, 0]),
        decode: of(SECTION.type).typeNumber([0x60, 4, I32, I32, I32, I32, 1, I32]),
        setArea: of(SECTION.type).typeNumber([0x60, 7, I32, I32, I32, I32, I32, I32, I32, 1, I32]),
      }),
    ),
  };
  const parts = [binary.subarray(0, 8), ...sections.map(({ id, content }) => section(id, replaced[id] ?? content))];
  return concatenated(parts);
}

const get = (local: number | string): Instruction => ["local.get", local];
const load = (offset: number): Instruction => ["i32.load", offset];
const constant = (value: number): Instruction => ["i32.const", value];

function editsFor(
  globals: { readonly reduce: number; readonly area: number; readonly part: number },
  entry: number,
  types: { readonly ask: number; readonly decode: number; readonly setArea: number },
): readonly FunctionEdit[] {
  const read = (global: number): Instruction => ["global.get", global];
  const clear = (global: number): Instruction[] => [constant(0), ["global.set", global]];
  // compressed_image_get_pixmap(context, image, part, w, h, power), which keeps `power`, or the address of a power that nobody reads
  const [image, part, power] = [1, 2, 5];
  const arguments_ = [get("data"), get("size")];
  // codec->opj_decode(codec->m_codec, stream, image, &codec->m_event_mgr)
  const decode = [get("codec"), load(CODEC.own), get("stream"), get("image")];
  const messages: Instruction[] = [get("codec"), constant(CODEC.messages), ["i32.add"]];
  const side = (at: number): Instruction[] => [read(globals.area), load(at)];
  // opj_image_t.comps[0].factor: the power of two by which samples were reduced
  const reduced = (from: readonly Instruction[], to: readonly Instruction[]): Instruction[] => [
    ...from,
    ...to,
    ["i32.sub"],
    get("image"),
    load(IMAGE.components),
    load(COMPONENT.factor),
    ["i32.shr_s"],
    constant(-1),
    ["i32.mul"],
  ];
  const [left, right] = [
    [get("image"), load(IMAGE.x0)],
    [get("image"), load(IMAGE.x1)],
  ];
  const [top, bottom] = [[get("top")], [get("bottom")]];
  const width: Instruction[] = [["local.tee", "width"]];
  const height: Instruction[] = [["local.tee", "height"]];
  return [
    {
      // w = image->x1 - image->x0, before it is divided by two for each level that is left out
      in: "jpx_read_image",
      find: [...right, ...left, ["i32.sub"], ...width],
      replaceBy: [...reduced(left, right), ...width],
    },
    {
      // h = image->y1 - image->y0
      in: "jpx_read_image",
      given: [
        get("image"),
        load(IMAGE.y0),
        ["local.set", "top"],
        get("image"),
        load(IMAGE.y1),
        ["local.set", "bottom"],
      ],
      find: [...bottom, ...top, ["i32.sub"], ...height],
      replaceBy: [...reduced(top, bottom), ...height],
    },
    {
      in: "jpx_read_image",
      find: [...decode, ...messages, get("codec"), load(CODEC.decode), ["call_indirect", types.decode]],
      // codec->opj_set_decode_area(codec->m_codec, image, x0, y0, x1, y1, &codec->m_event_mgr), or a trap where it fails
      putBefore: [
        read(globals.area),
        ["if"],
        get("codec"),
        load(CODEC.own),
        get("image"),
        ...[0, 4, 8, 12].flatMap(side),
        ...messages,
        get("codec"),
        load(CODEC.setArea),
        ["call_indirect", types.setArea],
        ["i32.eqz"],
        ["if"],
        ["unreachable"],
        ["end"],
        ...clear(globals.area),
        ["end"],
      ],
    },
    {
      in: "compressed_image_get_pixmap",
      given: [get(power), ["local.set", "power"]],
      find: [get(0), ...arguments_, get("space"), ["call", "fz_load_jpx"]],
      putBefore: [get(image), ...arguments_, get("power"), get(part), constant(entry), ["call_indirect", types.ask]],
    },
    {
      // At its end, if (part == NULL || can_sub) or else the part becomes all of the image.
      in: "compressed_image_get_pixmap",
      find: [get(part), ["i32.eqz"], get("can_sub"), ["i32.or"], ["i32.eqz"], ["if"]],
      replaceBy: [
        ...([get(part), ["i32.eqz"], get("can_sub"), ["i32.or"]] as const),
        ...([read(globals.part), get(image), ["i32.eq"], ["i32.or"], ["i32.eqz"], ["if"]] as const),
      ],
    },
    {
      // jpx_read_image(..., onlymeta = 1)
      in: "fz_load_jpx_info",
      find: [constant(1), ["call", "jpx_read_image"]],
      putBefore: [...clear(globals.reduce), ...clear(globals.area)],
    },
    {
      // decoder->m_reduce = parameters->cp_reduce
      in: "fz_opj_j2k_setup_decoder",
      find: [get(0), get(1), load(0), ["i32.store", DECODER.reduce]],
      replaceBy: [get(0), read(globals.reduce), ["i32.store", DECODER.reduce], ...clear(globals.reduce)],
    },
  ];
}

/** A module with one function, `ask`, for MuPDF's table. It calls its import of the same name: only a function of a module can be in a table. */
export function jpxModule(): Uint8Array {
  const [imported, exported] = [0, 1];
  const body = [0x00, ...[0, 1, 2, 3, 4].flatMap((local) => [0x20, local]), 0x10, imported, 0x0b];
  return concatenated([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(SECTION.type, Uint8Array.from([1, 0x60, 5, I32, I32, I32, I32, I32, 0])),
    section(SECTION.import, Uint8Array.from([1, ...name("jpx"), ...name("ask"), 0x00, 0])),
    section(SECTION.function, Uint8Array.from([1, 0])),
    section(SECTION.export, Uint8Array.from([1, ...name("ask"), 0x00, exported])),
    section(SECTION.code, Uint8Array.from([1, ...leb(body.length), ...body])),
  ]);
}
