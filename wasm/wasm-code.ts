/** Walks the instructions of a code section and puts others in (WebAssembly Core Specification 2.0, 5.4 and 5.5.13). */
import { BinaryReader, concatenated, type FunctionType, leb } from "./wasm-binary.ts";

/** Instructions to put in. `local`: a local of type i32 of the function, which begins as 0. */
export interface CodePatch {
  /**
   * At the head of each loop that calls, or holds another loop; `local` only where the function has innermost loops. `size`: the
   * instructions of its body, without those of loops in it.
   */
  outer(size: number, local: number | undefined): readonly number[];
  /** At the head of each innermost loop. */
  inner(size: number, local: number): readonly number[];
  /** Before each return, and at the end, of functions that have innermost loops. */
  exit(local: number): readonly number[];
  /** Before each instruction that copies or fills memory, whose length is on the stack. `local`: one that may be overwritten. */
  bulk(local: number): readonly number[];
}

interface Loop {
  /** Where its body begins. */
  readonly at: number;
  innermost: boolean;
  /** Instructions that are in it and in no loop within it. */
  size: number;
}

interface Body {
  readonly loops: readonly Loop[];
  /** Where `return` instructions are. */
  readonly returns: readonly number[];
  /** Where `memory.copy` and `memory.fill` are. */
  readonly bulks: readonly number[];
}

/** The code section of a binary with the patch in all functions. */
export function codeSection(
  content: Uint8Array,
  functionTypes: readonly number[],
  types: readonly FunctionType[],
  patch: CodePatch,
): { content: Uint8Array; loops: { outer: number; inner: number } } {
  const reader = new BinaryReader(content);
  const loops = { outer: 0, inner: 0 };
  const bodies = reader.vector(() => {
    const size = reader.u32();
    const start = reader.at;
    reader.skip(size);
    return content.subarray(start, reader.at);
  });
  if (!reader.done || bodies.length !== functionTypes.length)
    throw new Error("the code section does not read as expected");
  const parts: Uint8Array[] = [Uint8Array.from(leb(bodies.length))];
  for (const [index, body] of bodies.entries()) {
    const type = types[functionTypes[index] ?? -1];
    if (!type) throw new Error(`function ${index} has no type`);
    const patched = patchedBody(body, type, patch, loops);
    parts.push(Uint8Array.from(leb(patched.length)), patched);
  }
  return { content: concatenated(parts), loops };
}

function patchedBody(
  body: Uint8Array,
  { params, results }: FunctionType,
  patch: CodePatch,
  count: { outer: number; inner: number },
): Uint8Array {
  const reader = new BinaryReader(body);
  const groups = reader.u32();
  let locals = params;
  for (let group = 0; group < groups; group++) {
    locals += reader.u32();
    reader.byte();
  }
  const declared = body.subarray(leb(groups).length, reader.at);
  const start = reader.at;
  const { loops, returns, bulks } = walk(reader);
  if (loops.length === 0 && bulks.length === 0) return body;
  const inner = loops.filter(({ innermost }) => innermost).length;
  count.inner += inner;
  count.outer += loops.length - inner;
  const local = inner > 0 ? locals : undefined;
  const inserts = loops.map(({ at, innermost, size }) => ({
    at,
    code: innermost && local !== undefined ? patch.inner(size, local) : patch.outer(size, local),
  }));
  if (local !== undefined) inserts.push(...returns.map((at) => ({ at, code: patch.exit(local) })));
  const added = (local === undefined ? 0 : 1) + (bulks.length === 0 ? 0 : 1);
  inserts.push(...bulks.map((at) => ({ at, code: patch.bulk(locals + added - 1) })));
  inserts.sort((a, b) => a.at - b.at);
  const parts: Uint8Array[] = [];
  let from = start;
  for (const { at, code } of inserts) {
    parts.push(body.subarray(from, at), Uint8Array.from(code));
    from = at;
  }
  parts.push(body.subarray(from));
  if (added === 0) return concatenated([body.subarray(0, start), ...parts]);
  const head = [Uint8Array.from(leb(groups + 1)), declared, Uint8Array.from([added, 0x7f])];
  if (local === undefined) return concatenated([...head, ...parts]);
  if (results.length > 1) throw new Error("a function with a loop has more than one result");
  // The old body becomes a block, so that a branch to the function's own label passes the exit, too.
  return concatenated([
    ...head,
    Uint8Array.from([0x02, results[0] ?? 0x40]),
    ...parts,
    Uint8Array.from([...patch.exit(local), 0x0b]),
  ]);
}

/** Reads the instructions of a function to its end. */
function walk(reader: BinaryReader): Body {
  const loops: Loop[] = [];
  const returns: number[] = [];
  const bulks: number[] = [];
  /** The open blocks, outermost first; undefined for blocks other than loops. */
  const open: (Loop | undefined)[] = [undefined];
  /** A call, a loop, or an instruction on much memory: no loop around it is innermost. */
  const busy = (): void => {
    for (const loop of open) if (loop) loop.innermost = false;
  };
  while (open.length > 0) {
    const at = reader.at;
    const kind = passInstruction(reader);
    const around = open.findLast((loop) => loop !== undefined);
    if (around) around.size += 1;
    if (kind === "block") open.push(undefined);
    else if (kind === "loop") {
      busy();
      const loop: Loop = { at: reader.at, innermost: true, size: 0 };
      loops.push(loop);
      open.push(loop);
    } else if (kind === "end") open.pop();
    else if (kind === "call") busy();
    else if (kind === "bulk") {
      busy();
      bulks.push(at);
    } else if (kind === "return") returns.push(at);
  }
  if (!reader.done) throw new Error("there is something behind a function's end");
  return { loops, returns, bulks };
}

type Kind = "block" | "loop" | "end" | "call" | "return" | "bulk" | undefined;

/** Passes over one instruction. */
export function passInstruction(reader: BinaryReader): Kind {
  const opcode = reader.byte();
  // Numeric instructions without immediates: 0x45 to 0xc4.
  if (opcode >= 0x45 && opcode <= 0xc4) return undefined;
  // Loads and stores: alignment and offset.
  if (opcode >= 0x28 && opcode <= 0x3e) return memoryArgument(reader);
  switch (opcode) {
    case 0x00: // unreachable
    case 0x01: // nop
    case 0x05: // else
    case 0x19: // catch_all
    case 0x1a: // drop
    case 0x1b: // select
    case 0xd1: // ref.is_null
      return undefined;
    case 0x02: // block
    case 0x04: // if
    case 0x06: // try
      reader.skipLeb();
      return "block";
    case 0x03: // loop
      reader.skipLeb();
      return "loop";
    case 0x0b: // end
      return "end";
    case 0x18: // delegate ends its try
      reader.u32();
      return "end";
    case 0x0f: // return
      return "return";
    case 0x10: // call
      reader.u32();
      return "call";
    case 0x11: // call_indirect
      reader.u32();
      reader.u32();
      return "call";
    case 0x0e: // br_table
      reader.vector(() => reader.u32());
      reader.u32();
      return undefined;
    case 0x1c: // select with types
      reader.vector(() => reader.byte());
      return undefined;
    case 0x07: // catch
    case 0x08: // throw
    case 0x09: // rethrow
    case 0x0c: // br
    case 0x0d: // br_if
    case 0x20: // local.get
    case 0x21: // local.set
    case 0x22: // local.tee
    case 0x23: // global.get
    case 0x24: // global.set
    case 0x25: // table.get
    case 0x26: // table.set
    case 0x3f: // memory.size
    case 0x40: // memory.grow
    case 0xd0: // ref.null
    case 0xd2: // ref.func
      reader.u32();
      return undefined;
    case 0x41: // i32.const
    case 0x42: // i64.const
      reader.skipLeb();
      return undefined;
    case 0x43: // f32.const
      reader.skip(4);
      return undefined;
    case 0x44: // f64.const
      reader.skip(8);
      return undefined;
    case 0xfc:
      return bulk(reader);
    case 0xfd:
      return vector(reader);
    default:
      throw new Error(`unknown instruction 0x${opcode.toString(16)}`);
  }
}

function memoryArgument(reader: BinaryReader): undefined {
  const alignment = reader.u32();
  if (alignment >= 0x40) throw new Error("there is more than one memory");
  reader.skipLeb();
}

/** Saturating conversions, and whole memories and tables. */
function bulk(reader: BinaryReader): Kind {
  const opcode = reader.u32();
  const immediates = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1][opcode];
  if (immediates === undefined) throw new Error(`unknown instruction 0xfc ${opcode}`);
  for (let index = 0; index < immediates; index++) reader.u32();
  return opcode === 10 || opcode === 11 ? "bulk" : undefined;
}

/** SIMD, the relaxed instructions included. */
function vector(reader: BinaryReader): undefined {
  const opcode = reader.u32();
  // Loads and stores of vectors; of single lanes (0x54 to 0x5b), which also name the lane; of zero-extended values.
  if (opcode <= 0x0b || (opcode >= 0x54 && opcode <= 0x5d)) {
    memoryArgument(reader);
    if (opcode >= 0x54 && opcode <= 0x5b) reader.byte();
  }
  // v128.const, i8x16.shuffle
  else if (opcode === 0x0c || opcode === 0x0d) reader.skip(16);
  // extract_lane, replace_lane
  else if (opcode >= 0x15 && opcode <= 0x22) reader.byte();
  else if (opcode > 0x113) throw new Error(`unknown instruction 0xfd ${opcode}`);
}
