/**
 * Finds instructions in functions of a binary by the names of its name section, and puts others in (WebAssembly Core Specification 2.0, 5.4 and 7.4.1).
 * Patterns name functions and capture locals, so the numbers that a compiler gives to either may differ from version to version.
 */
import { BinaryReader, concatenated, leb, SECTION, signedLeb } from "./wasm-binary.ts";
import { passInstruction } from "./wasm-code.ts";

/**
 * An instruction. In a pattern, a name in place of a local is any local, the same one each time, and `call` has the name of a function. In a
 * replacement, names of locals mean the locals found.
 */
export type Instruction =
  | readonly [kind: "local.get" | "local.set" | "local.tee", local: number | string]
  | readonly [kind: "global.get" | "global.set", global: number]
  | readonly [kind: "i32.load" | "i32.store", offset: number]
  | readonly [kind: "i32.const", value: number]
  | readonly [kind: "call", name: string]
  | readonly [kind: "call_indirect", type: number]
  | readonly [kind: keyof typeof PLAIN];

const PLAIN = {
  unreachable: [0x00],
  if: [0x04, 0x40],
  end: [0x0b],
  "i32.eqz": [0x45],
  "i32.eq": [0x46],
  "i32.add": [0x6a],
  "i32.sub": [0x6b],
  "i32.mul": [0x6c],
  "i32.or": [0x72],
  "i32.shr_s": [0x75],
} as const;
const WITH_INDEX = { "local.get": 0x20, "local.set": 0x21, "local.tee": 0x22, "global.get": 0x23, "global.set": 0x24 };
const WITH_OFFSET = { "i32.load": 0x28, "i32.store": 0x36 };
/** Of four bytes, as a power of two. */
const ALIGNMENT = 2;

/** An edit of the function that the binary calls `in`. */
export interface FunctionEdit {
  readonly in: string;
  /** Found once in the function. */
  readonly find: readonly Instruction[];
  /** Instructions elsewhere in the function that capture more locals, and are found once. */
  readonly given?: readonly Instruction[];
  /** Takes its place. */
  readonly replaceBy?: readonly Instruction[];
  /** Is put before it. */
  readonly putBefore?: readonly Instruction[];
}

type Locals = ReadonlyMap<string, number>;

/** The numbers of functions by their names. Throws if the binary has no name section. */
export function functionNames(binary: Uint8Array): ReadonlyMap<string, number> {
  const reader = new BinaryReader(binary);
  reader.header();
  while (!reader.done) {
    const { id, content } = reader.section();
    if (id !== SECTION.custom) continue;
    const names = new BinaryReader(content);
    if (names.text() !== "name") continue;
    while (!names.done) {
      const kind = names.byte();
      const end = names.u32() + names.at;
      if (kind === 1) {
        return new Map(
          names.vector(() => {
            const index = names.u32();
            return [names.text(), index] as const;
          }),
        );
      }
      names.skip(end - names.at);
    }
  }
  throw new Error("the binary has no names of functions");
}

/** The code section with the edits. `imported`: functions before the first one of the section. Throws an Error that lists all edits that do not fit. */
export function editFunctions(
  code: Uint8Array,
  { names, imported }: { readonly names: ReadonlyMap<string, number>; readonly imported: number },
  edits: readonly FunctionEdit[],
): Uint8Array {
  const reader = new BinaryReader(code);
  const bodies = reader.vector(() => {
    const length = reader.u32();
    reader.skip(length);
    return code.subarray(reader.at - length, reader.at);
  });
  const problems: string[] = [];
  for (const edit of edits) {
    const index = (names.get(edit.in) ?? -1) - imported;
    const body = bodies[index];
    try {
      if (!body) throw new Error("there is no such function");
      bodies[index] = editedBody(body, edit, names);
    } catch (error) {
      problems.push(`${edit.in}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const parts = bodies.flatMap((body) => [Uint8Array.from(leb(body.length)), body]);
  return concatenated([Uint8Array.from(leb(bodies.length)), ...parts]);
}

function editedBody(body: Uint8Array, edit: FunctionEdit, names: ReadonlyMap<string, number>): Uint8Array {
  const instructions = instructionsOf(body);
  const { locals } = edit.given ? foundOnce(instructions, edit.given, names, new Map()) : { locals: new Map() };
  const found = foundOnce(instructions, edit.find, names, locals);
  const code = (put: readonly Instruction[] = []): Uint8Array =>
    Uint8Array.from(put.flatMap((one) => encoded(one, found.locals)));
  return concatenated([
    body.subarray(0, found.start),
    ...(edit.replaceBy ? [code(edit.replaceBy)] : [code(edit.putBefore), body.subarray(found.start, found.end)]),
    body.subarray(found.end),
  ]);
}

/** An instruction of a function: one that patterns can have, or another. */
interface Placed {
  readonly start: number;
  readonly end: number;
  readonly instruction: readonly [kind: string, value?: number] | undefined;
}

function instructionsOf(body: Uint8Array): readonly Placed[] {
  const reader = new BinaryReader(body);
  for (let group = reader.u32(); group > 0; group--) {
    reader.u32();
    reader.byte();
  }
  const placed: Placed[] = [];
  while (!reader.done) {
    const start = reader.at;
    const instruction = decoded(new BinaryReader(body.subarray(start)));
    passInstruction(reader);
    placed.push({ start, end: reader.at, instruction });
  }
  return placed;
}

function decoded(reader: BinaryReader): Placed["instruction"] {
  const opcode = reader.byte();
  for (const [kind, known] of Object.entries(WITH_INDEX)) if (opcode === known) return [kind, reader.u32()];
  for (const [kind, known] of Object.entries(WITH_OFFSET)) {
    if (opcode === known) return reader.u32() === ALIGNMENT ? [kind, reader.u32()] : undefined;
  }
  if (opcode === 0x41) return ["i32.const", reader.signed()];
  if (opcode === 0x10) return ["call", reader.u32()];
  if (opcode === 0x11) return ["call_indirect", reader.u32()];
  for (const [kind, [first, second]] of Object.entries(PLAIN) as [string, readonly [number, number?]][]) {
    if (opcode === first && (second === undefined || reader.byte() === second)) return [kind];
  }
  return undefined;
}

function foundOnce(
  instructions: readonly Placed[],
  pattern: readonly Instruction[],
  names: ReadonlyMap<string, number>,
  given: Locals,
): { readonly start: number; readonly end: number; readonly locals: Locals } {
  const found = instructions.flatMap((_, at) => {
    const locals = matched(instructions.slice(at, at + pattern.length), pattern, names, given);
    return locals ? [{ at, locals }] : [];
  });
  const [only] = found;
  if (only === undefined || found.length > 1) {
    throw new Error(`found ${found.length} times, not once: ${pattern.map((one) => one.join(" ")).join("; ")}`);
  }
  const [first, last] = [instructions[only.at], instructions[only.at + pattern.length - 1]];
  return { start: first?.start ?? 0, end: last?.end ?? 0, locals: only.locals };
}

/** The locals that the names of a pattern stand for; undefined if it does not match. */
function matched(
  instructions: readonly Placed[],
  pattern: readonly Instruction[],
  names: ReadonlyMap<string, number>,
  given: Locals,
): Locals | undefined {
  const locals = new Map(given);
  for (const [index, [kind, wanted]] of pattern.entries()) {
    const [found, value] = instructions[index]?.instruction ?? [];
    if (found !== kind) return undefined;
    if (typeof wanted !== "string") {
      if (value !== wanted) return undefined;
    } else if (kind === "call") {
      if (value !== names.get(wanted)) return undefined;
    } else {
      const known = locals.get(wanted) ?? value;
      if (known === undefined || known !== value) return undefined;
      locals.set(wanted, known);
    }
  }
  return locals;
}

function encoded([kind, value]: Instruction, locals: Locals): readonly number[] {
  if (kind in PLAIN) return PLAIN[kind as keyof typeof PLAIN];
  const number = typeof value === "string" ? locals.get(value) : value;
  if (number === undefined) throw new Error(`nothing was found for ${String(value)}`);
  if (kind in WITH_INDEX) return [WITH_INDEX[kind as keyof typeof WITH_INDEX], ...leb(number)];
  if (kind in WITH_OFFSET) return [WITH_OFFSET[kind as keyof typeof WITH_OFFSET], ALIGNMENT, ...leb(number)];
  if (kind === "i32.const") return [0x41, ...(number < 0 ? [0x80 + number] : signedLeb(number))];
  if (kind === "call_indirect") return [0x11, ...leb(number), 0x00];
  throw new Error(`${kind} cannot be put in`);
}
