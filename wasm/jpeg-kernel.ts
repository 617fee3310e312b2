/**
 * Writes the kernel of our JPEG encoder (src/engines/image/jpeg/kernel.ts): the work on the 64 pixels of a block, four at a time
 * (WebAssembly Core Specification 2.0, vector instructions). As JavaScript it took twice as long as all the rest of the encoder.
 */
import { concatenated, leb, name, section, SECTION } from "./wasm-binary.ts";

/** Instructions that leave one value, or none. */
type Code = readonly number[];

const [I32, V128] = [0x7f, 0x7b];

const op =
  (...bytes: readonly number[]) =>
  (...operands: readonly Code[]): Code => [...operands.flat(), ...bytes];
const vector = (code: number, ...immediate: readonly number[]) => op(0xfd, ...leb(code), ...immediate);

const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  load: (address: Code): Code => [...address, 0x28, 2, 0],
  store: op(0x36, 2, 0),
  add: op(0x6a),
  sub: op(0x6b),
  or: op(0x72),
  shl: op(0x74),
  clz: op(0x67),
  isZero: op(0x45),
  isLess: op(0x48),
  select: op(0x1b),
};
const bits = { and: vector(0x4e), or: vector(0x50), xor: vector(0x51), any: vector(0x53) };
const i32x4 = {
  splat: vector(0x11),
  shiftLeft: vector(0xab),
  shift: vector(0xad),
  sign: vector(0xac),
  sub: vector(0xb1),
};
const f32x4 = { abs: vector(0xe0), add: vector(0xe4), sub: vector(0xe5), mul: vector(0xe6) };
/** Rounds towards zero. */
const truncated = vector(0xf8);
const converted = vector(0xfa);

const loaded = (address: Code, offset: number): Code => [...address, 0xfd, 0x00, 4, ...leb(offset)];
const stored = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  0xfd,
  0x0b,
  4,
  ...leb(offset),
];
const floats = (...values: readonly number[]): Code => [
  0xfd,
  0x0c,
  ...new Uint8Array(Float32Array.from(values).buffer),
];
const everyFloat = (value: number): Code => floats(value, value, value, value);
const everyWord = (value: number): Code => [
  0xfd,
  0x0c,
  ...new Uint8Array(Uint32Array.of(value, value, value, value).buffer),
];
/** Four of the eight lanes of two vectors. */
const lanes = (a: Code, b: Code, ...wanted: readonly number[]): Code => [
  ...a,
  ...b,
  0xfd,
  0x0d,
  ...wanted.flatMap((lane) => [0, 1, 2, 3].map((byte) => lane * 4 + byte)),
];

/** A signed LEB128. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    const low = rest & 0x7f;
    if (rest >> 6 === 0 || rest >> 6 === -1) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

/** A function of i32 parameters: its instructions, in order, and its locals. */
class Body {
  readonly #parameters: number;
  readonly #locals: number[] = [];
  readonly #code: number[] = [];

  constructor(parameters: number) {
    this.#parameters = parameters;
  }

  parameter(index: number): Code {
    return [0x20, index];
  }

  do(...code: readonly Code[]): void {
    for (const instructions of code) this.#code.push(...instructions);
  }

  /** Keeps a value in a local of its own; returns what reads it. */
  keep(value: Code, type = V128): Code {
    const local = leb(this.#parameters + this.#locals.push(type) - 1);
    this.do(value, [0x21, ...local]);
    return [0x20, ...local];
  }

  /** Gives a local another value. */
  set([, ...local]: Code, value: Code): Code {
    return [...value, 0x21, ...local];
  }

  encoded(): Uint8Array {
    const locals = this.#locals.flatMap((type) => [1, type]);
    const content = [...leb(this.#locals.length), ...locals, ...this.#code, 0x0b];
    return Uint8Array.from([...leb(content.length), ...content]);
  }
}

const when = (condition: Code, then: Code, otherwise: Code = []): Code => [
  ...condition,
  0x04,
  0x40,
  ...then,
  ...(otherwise.length > 0 ? [0x05, ...otherwise] : []),
  0x0b,
];
/** Repeats `body` while the condition after it holds. */
const loop = (body: Code, condition: Code): Code => [0x03, 0x40, ...body, ...condition, 0x0d, 0, 0x0b];

/** The pixels of a block, row by row: each row is two vectors. Calls `visit` with their place in a block of floats. */
function eachFour(body: Body, visit: (pixels: Code, offset: number) => void): void {
  const [first, stride] = [body.parameter(0), body.parameter(1)];
  const row = body.keep(first, I32);
  for (let y = 0; y < 8; y++) {
    for (const half of [0, 1]) visit(body.keep(loaded(row, half * 16)), y * 32 + half * 16);
    body.do(body.set(row, i32.add(row, stride)));
  }
}

const byteOf = (pixels: Code, index: number): Code =>
  converted(bits.and(i32x4.shift(pixels, i32.const(index * 8)), everyWord(0xff)));

/** `look(pixels, stride, color)`: bit 0 is set if a pixel differs from the color, bit 1 if one is not gray. */
function look(): Body {
  const body = new Body(3);
  const color = body.keep(i32x4.splat(body.parameter(2)));
  const different = body.keep(everyWord(0));
  const colored = body.keep(everyWord(0));
  eachFour(body, (pixels) => {
    body.do(
      body.set(different, bits.or(different, bits.xor(pixels, color))),
      // Compares red with green, and green with blue.
      body.set(colored, bits.or(colored, bits.xor(pixels, i32x4.shift(pixels, i32.const(8))))),
    );
  });
  const has = (words: Code, mask: number): Code => bits.any(bits.and(words, everyWord(mask)));
  body.do(i32.or(has(different, 0xff_ffff), i32.shl(has(colored, 0xffff), i32.const(1))));
  return body;
}

/** `gray(pixels, stride, light)`: the samples of a block without color, minus 128. */
function gray(): Body {
  const body = new Body(3);
  eachFour(body, (pixels, offset) => {
    body.do(stored(body.parameter(2), offset, f32x4.sub(byteOf(pixels, 0), everyFloat(128))));
  });
  return body;
}

/** `color(pixels, stride, light, blue, red)`: the samples of a block in the color space of JFIF, centered on 0. */
function color(): Body {
  const body = new Body(5);
  const sum = (parts: readonly Code[], factors: readonly number[]): Code =>
    parts.map((part, index) => f32x4.mul(part, everyFloat(factors[index] ?? 0))).reduce((a, b) => f32x4.add(a, b));
  eachFour(body, (pixels, offset) => {
    const rgb = [0, 1, 2].map((index) => body.keep(byteOf(pixels, index)));
    body.do(
      stored(body.parameter(2), offset, f32x4.sub(sum(rgb, [0.299, 0.587, 0.114]), everyFloat(128))),
      stored(body.parameter(3), offset, sum(rgb, [-0.168_735_892, -0.331_264_108, 0.5])),
      stored(body.parameter(4), offset, sum(rgb, [0.5, -0.418_687_589, -0.081_312_411])),
    );
  });
  return body;
}

const mean = (a: Code, b: Code): Code => f32x4.mul(f32x4.add(a, b), everyFloat(0.5));

/** `halfAcross(left, right, to)`: the means of pairs of samples. `to` may be `left`. */
function halfAcross(): Body {
  const body = new Body(3);
  for (let row = 0; row < 256; row += 32) {
    const [left, right] = [0, 1].map((block) => {
      const [a = [], b = []] = [0, 16].map((half) => body.keep(loaded(body.parameter(block), row + half)));
      return body.keep(mean(lanes(a, b, 0, 2, 4, 6), lanes(a, b, 1, 3, 5, 7)));
    });
    body.do(stored(body.parameter(2), row, left ?? []), stored(body.parameter(2), row + 16, right ?? []));
  }
  return body;
}

/** `halfDown(top, bottom, to)`: the same for samples one above the other. `to` may be `top`. */
function halfDown(): Body {
  const body = new Body(3);
  for (let row = 0; row < 8; row++) {
    const [block, from] = [body.parameter(row >> 2), (row & 3) * 64];
    for (const half of [0, 16]) {
      const both = mean(loaded(block, from + half), loaded(block, from + 32 + half));
      body.do(stored(body.parameter(2), row * 32 + half, both));
    }
  }
  return body;
}

const C2 = Math.cos((2 * Math.PI) / 16);
const C4 = Math.SQRT1_2;
const C6 = Math.cos((6 * Math.PI) / 16);

/** Eight samples of four rows or columns at once (ISO/IEC 10918-1, A.3.3), after Arai, Agui and Nakajima. */
function transformed(body: Body, v: readonly Code[]): Code[] {
  const add = (a: Code, b: Code): Code => body.keep(f32x4.add(a, b));
  const sub = (a: Code, b: Code): Code => body.keep(f32x4.sub(a, b));
  const times = (a: Code, factor: number): Code => body.keep(f32x4.mul(a, everyFloat(factor)));
  const [v0 = [], v1 = [], v2 = [], v3 = [], v4 = [], v5 = [], v6 = [], v7 = []] = v;
  const outer = add(v0, v7);
  const inner = add(v3, v4);
  const second = add(v1, v6);
  const third = add(v2, v5);
  const even0 = add(outer, inner);
  const even1 = add(second, third);
  const odd0 = sub(outer, inner);
  const turned = times(add(sub(second, third), odd0), C4);
  const d0 = sub(v0, v7);
  const d1 = sub(v1, v6);
  const d2 = sub(v2, v5);
  const t0 = add(sub(v3, v4), d2);
  const t2 = add(d1, d0);
  const z5 = times(sub(t0, t2), C6);
  const z2 = add(times(t0, C2 - C6), z5);
  const z4 = add(times(t2, C2 + C6), z5);
  const z3 = times(add(d2, d1), C4);
  const z11 = add(d0, z3);
  const z13 = sub(d0, z3);
  return [
    add(even0, even1),
    add(z11, z4),
    add(odd0, turned),
    sub(z13, z2),
    sub(even0, even1),
    add(z13, z2),
    sub(odd0, turned),
    sub(z11, z4),
  ];
}

/** Four vectors of four, rows for columns. */
function transposed(body: Body, rows: readonly Code[]): Code[] {
  const [a = [], b = [], c = [], d = []] = rows;
  const pairs = [
    [a, b, 0, 4, 1, 5],
    [c, d, 0, 4, 1, 5],
    [a, b, 2, 6, 3, 7],
    [c, d, 2, 6, 3, 7],
  ] as const;
  const [ab01 = [], cd01 = [], ab23 = [], cd23 = []] = pairs.map(([one, other, ...wanted]) =>
    body.keep(lanes(one, other, ...wanted)),
  );
  return [
    body.keep(lanes(ab01, cd01, 0, 1, 4, 5)),
    body.keep(lanes(ab01, cd01, 2, 3, 6, 7)),
    body.keep(lanes(ab23, cd23, 0, 1, 4, 5)),
    body.keep(lanes(ab23, cd23, 2, 3, 6, 7)),
  ];
}

/**
 * Added to each coefficient except a block's first before its fraction is truncated. At quality 85, files are 4 to 6 % smaller
 * than with one half, and their error is 5 to 15 % larger.
 */
const ROUND_UP = 0.36;
/** Sixteen coefficients that are 0 (F.1.2.2.1). */
const SIXTEEN_ZEROS = 0xf0;

/**
 * `block(samples, factors, order, to, table)`: transforms a block, and puts the symbols of its coefficients except the first to `to`, as
 * src/engines/image/jpeg/symbols.ts has them, with a `table` in their upper bits. Returns where they end. The coefficients, in quantization
 * steps and column by column, take the place of the samples. `factors`: what makes such a coefficient of a transformed value. `order`:
 * where the coefficients are in the order of the file, in bytes.
 */
function block(): Body {
  const body = new Body(5);
  const [samples, factors, order, start, table] = [0, 1, 2, 3, 4].map((index) => body.parameter(index));
  if (!samples || !factors || !order || !start || !table) throw new Error("a parameter is missing");
  const rows = Array.from({ length: 8 }, (_, y) => [0, 16].map((half) => body.keep(loaded(samples, y * 32 + half))));
  const of = (all: readonly (readonly Code[])[], half: number): Code[] => all.map((row) => row[half] ?? []);
  const [left = [], right = []] = [0, 1].map((half) => transformed(body, of(rows, half)));
  const columns = [left, right].flatMap((half) => {
    const [top, bottom] = [transposed(body, half.slice(0, 4)), transposed(body, half.slice(4))];
    return top.map((column, index) => [column, bottom[index] ?? []]);
  });
  for (const half of [0, 1]) {
    for (const [column, value] of transformed(body, of(columns, half)).entries()) {
      const offset = column * 32 + half * 16;
      const up = offset === 0 ? floats(0.5, ROUND_UP, ROUND_UP, ROUND_UP) : everyFloat(ROUND_UP);
      const steps = body.keep(f32x4.mul(value, loaded(factors, offset)));
      const size = truncated(f32x4.add(f32x4.abs(steps), up));
      // All ones below 0: then the two's complement.
      const sign = body.keep(i32x4.sign(steps, i32.const(31)));
      body.do(stored(samples, offset, i32x4.sub(bits.xor(size, sign), sign)));
    }
  }
  const to = body.keep(start, I32);
  const zeros = body.keep(i32.const(0), I32);
  const k = body.keep(i32.const(4), I32);
  const value = body.keep(i32.const(0), I32);
  const length = body.keep(i32.const(0), I32);
  const put = (symbol: Code): Code => [
    ...i32.store(to, i32.or(table, symbol)),
    ...body.set(to, i32.add(to, i32.const(4))),
  ];
  const isNegative = i32.isLess(value, i32.const(0));
  const magnitude = i32.select(i32.sub(i32.const(0), value), value, isNegative);
  const ones = i32.sub(i32.shl(i32.const(1), length), i32.const(1));
  const extra = i32.select(i32.add(value, ones), value, isNegative);
  const symbol = i32.or(i32.or(i32.shl(zeros, i32.const(20)), i32.shl(length, i32.const(16))), extra);
  const skipSixteen = [...put(i32.const(SIXTEEN_ZEROS << 16)), ...body.set(zeros, i32.sub(zeros, i32.const(16)))];
  const areMany = i32.isLess(i32.const(15), zeros);
  const coded = [
    ...when(areMany, loop(skipSixteen, areMany)),
    ...body.set(length, i32.sub(i32.const(32), i32.clz(magnitude))),
    ...put(symbol),
    ...body.set(zeros, i32.const(0)),
  ];
  body.do(
    loop(
      [
        ...body.set(value, i32.load(i32.add(samples, i32.load(i32.add(order, k))))),
        ...when(i32.isZero(value), body.set(zeros, i32.add(zeros, i32.const(1))), coded),
        ...body.set(k, i32.add(k, i32.const(4))),
      ],
      i32.isLess(k, i32.const(256)),
    ),
    // End of block.
    when(zeros, put(i32.const(0))),
    to,
  );
  return body;
}

/** The module. It exports its memory, of a page at first. */
export function jpegKernel(): Uint8Array {
  const functions = [
    { field: "look", parameters: 3, results: [I32], body: look() },
    { field: "gray", parameters: 3, results: [], body: gray() },
    { field: "color", parameters: 5, results: [], body: color() },
    { field: "halfAcross", parameters: 3, results: [], body: halfAcross() },
    { field: "halfDown", parameters: 3, results: [], body: halfDown() },
    { field: "block", parameters: 5, results: [I32], body: block() },
  ];
  const count = leb(functions.length);
  const types = functions.flatMap(({ parameters, results }) => [
    0x60,
    ...leb(parameters),
    ...Array.from({ length: parameters }, () => I32),
    ...leb(results.length),
    ...results,
  ]);
  const exports = functions.flatMap(({ field }, index) => [...name(field), 0x00, ...leb(index)]);
  return concatenated([
    Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
    section(SECTION.type, Uint8Array.from([...count, ...types])),
    section(SECTION.function, Uint8Array.from([...count, ...functions.keys()])),
    section(SECTION.memory, Uint8Array.from([1, 0x00, 1])),
    section(SECTION.export, Uint8Array.from([...leb(functions.length + 1), ...exports, ...name("memory"), 0x02, 0])),
    section(SECTION.code, concatenated([Uint8Array.from(count), ...functions.map(({ body }) => body.encoded())])),
  ]);
}
