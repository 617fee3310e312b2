import { Refusal } from "../../engines/errors.ts";
import { withAdvice } from "./errors.ts";
import type { Ranges } from "../../engines/memory/ranges.ts";
import type { Services } from "../../engines/services.ts";
import type { Engines } from "../../engines/lease/engines.ts";
import type { ByteStream, Operation, Output, OutputFile } from "./define.ts";
import type { Fields, Input } from "./fields.ts";

/**
 * Runs an operation. A file that is read in ranges may turn out to lack a part that is needed at once: the part is fetched, and the
 * work starts again. This also works while a response is streamed, because the same input gives the same bytes.
 */
export async function runOperation<F extends Fields>(
  operation: Operation<F>,
  input: Input<F>,
  engines: Engines,
  services: Services,
): Promise<Output> {
  const run = (): Promise<Output> => operation.run(input, engines, services);
  const explained = (error: unknown): unknown => advised(engines.explain(error), operation.fields);
  try {
    return explaining(await started(engines, run), explained);
  } catch (error) {
    throw explained(error);
  }
}

async function started(engines: Engines, run: () => Promise<Output>): Promise<Output> {
  const output = await restarting(engines, run);
  if (engines.isParked || !engines.pdf.ranges) return output;
  if (output.kind === "zip") return { ...output, entries: resumedEntries(engines, output, run) };
  if (output.kind !== "image") return output;
  return { ...output, bytes: resumed(engines, output.bytes, async () => resultBytes(await run())) };
}

/** Does work that has sent nothing yet, again after each part that was missing. */
export async function restarting<T>(engines: Engines, work: () => Promise<T>, first = work): Promise<T> {
  /** The file in ranges; whoever parks has all that was needed. */
  const inRanges = (): Ranges | undefined => {
    const ranges = engines.isParked ? undefined : engines.pdf.ranges;
    ranges?.check();
    return ranges;
  };
  for (let attempt = first; ; attempt = work) {
    try {
      const result = await attempt();
      if (!inRanges()?.isMissing) return result;
    } catch (error) {
      // After a part was missing, every error results from that.
      if (!inRanges()?.isMissing) throw error;
    }
    await inRanges()?.fetchMissing();
    engines.pdf.restart();
  }
}

/** The bytes of a stream; where it has to start again, those that have been sent are passed over. */
async function* resumed(engines: Engines, stream: ByteStream, again: () => Promise<ByteStream>): ByteStream {
  let sent = 0;
  let chunks = stream[Symbol.asyncIterator]();
  /** Bytes of the current attempt. */
  let at = 0;
  const start = async (): Promise<IteratorResult<Uint8Array>> => {
    chunks = (await again())[Symbol.asyncIterator]();
    at = 0;
    return passOver();
  };
  const passOver = async (): Promise<IteratorResult<Uint8Array>> => {
    for (;;) {
      const next = await chunks.next();
      if (next.done) return next;
      at += next.value.length;
      if (at > sent) return { value: next.value.subarray(next.value.length - (at - sent)) };
    }
  };
  for (;;) {
    const next = await restarting(engines, start, passOver);
    if (next.done) return;
    sent += next.value.length;
    yield next.value;
  }
}

type Archive = Extract<Output, { kind: "zip" }>;

/** The entries of an archive; where it has to start again, those that have been sent are not produced again. */
async function* resumedEntries(
  engines: Engines,
  archive: Archive,
  again: () => Promise<Output>,
): AsyncGenerator<OutputFile> {
  let entries = iterate(archive);
  for (let sent = 0; ; sent++) {
    const restart = async (): Promise<IteratorResult<OutputFile>> => {
      entries = iterate(await again());
      for (let passed = 0; passed < sent; passed++) await entries.next();
      return entries.next();
    };
    const next = await restarting(engines, restart, () => entries.next());
    if (next.done) return;
    const { name, bytes } = next.value;
    if ("view" in bytes) yield next.value;
    else yield { name, bytes: resumed(engines, bytes, async () => streamOf((await restart()).value)) };
  }
}

async function* iterate(output: Output): AsyncGenerator<OutputFile> {
  if (output.kind === "zip") yield* output.entries;
}

function resultBytes(output: Output): ByteStream {
  if (output.kind !== "image") throw new Error("the operation returned something else than before");
  return output.bytes;
}

function streamOf(file: OutputFile | undefined): ByteStream {
  if (file === undefined || "view" in file.bytes) throw new Error("the operation returned something else than before");
  return file.bytes;
}

/** Explains the errors of an output that is produced while it is sent. */
export function explaining(output: Output, explained: (error: unknown) => unknown): Output {
  if (output.kind === "image") return { ...output, bytes: rethrowing(output.bytes, explained) };
  if (output.kind !== "zip") return output;
  async function* entries(files: AsyncIterable<OutputFile>): AsyncGenerator<OutputFile> {
    for await (const { name, bytes } of files) {
      yield { name, bytes: "view" in bytes ? bytes : rethrowing(bytes, explained) };
    }
  }
  async function* all(): AsyncGenerator<OutputFile> {
    if (output.kind === "zip") yield* output.entries;
  }
  return { ...output, entries: entries(rethrowing(all(), explained)) };
}

async function* rethrowing<T>(items: AsyncIterable<T>, explained: (error: unknown) => unknown): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw explained(error);
  }
}

/** A refusal for a lack of memory or work, with the fields of the operation that help. */
const advised = (meaning: unknown, fields: Fields): unknown =>
  meaning instanceof Refusal ? withAdvice(meaning, Object.keys(fields)) : meaning;
