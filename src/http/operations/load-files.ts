import { FileTotals, type Reference, type ReferringRequest, StoredReference, UrlReference } from "./references.ts";
import type { FormFile } from "../form/form-reader.ts";
import { imageTooLarge } from "../errors/limit-errors.ts";
import { safeFileName, stemOf } from "../../operations/definition/file-names.ts";
import type { EngineBytes, InputBytes } from "../../engines/memory/heap.ts";
import type { Ranges } from "../../engines/memory/ranges.ts";
import { imageKindOf } from "../../engines/image/kind.ts";
import { limits } from "../../limits.ts";
import type { UploadedFile } from "../../operations/definition/fields.ts";

/** URLs of one request that are opened at the same time. A Worker can have six connections. */
const CONNECTIONS = 4;

/** A file in the engine's memory. */
export interface LoadedFile {
  readonly file: UploadedFile;
  /** As sent, of the stored file, or the last segment of the URL's path. */
  readonly filename: string;
  /** In hexadecimal, if it is known without reading the file. */
  readonly sha256: string | undefined;
}

/**
 * Waits until the request's files fit into memory, and for its turn to work; then they are in the engine's memory. As with
 * bodies, small files are read before the request has an engine; larger ones go straight into it while others may work. Throws
 * what opening and reading the files throws, and `overloaded`.
 */
export async function loadFiles(
  files: readonly FormFile[],
  request: ReferringRequest,
): Promise<ReadonlyMap<FormFile, LoadedFile>> {
  // Closes all connections when one fails.
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const totals = new FileTotals(request);
  const references = referencesIn(files, { ...request, signal }, totals);
  try {
    const areHeld = await open(references, request, totals);
    if (areHeld) await request.lease.turn();
    const loaded = await load(files, references, request, totals);
    if (!areHeld) await request.lease.turn();
    return loaded;
  } finally {
    stop.abort();
  }
}

function referencesIn(files: readonly FormFile[], request: ReferringRequest, totals: FileTotals): Reference[] {
  const same = Map.groupBy(files, ({ source }) => (source.kind === "sent" ? undefined : source.to));
  return Array.from(same).flatMap(([to, uses]) => {
    const [first] = uses;
    if (to === undefined || first === undefined) return [];
    const { field, source } = first;
    const Kind = source.kind === "stored" ? StoredReference : UrlReference;
    return [new Kind(to, uses, field, request, totals)];
  });
}

/**
 * Finds the files and makes room for them. Returns whether they are small: then all are held, and the request has no engine yet.
 * Otherwise they are still to be read, into the engine that it has now.
 */
async function open(
  references: readonly Reference[],
  { lease }: ReferringRequest,
  totals: FileTotals,
): Promise<boolean> {
  if (references.length === 0) return true;
  const areSmall = (): boolean =>
    lease.isSmall && totals.rangeBytes === 0 && lease.bodyBytes + totals.bytes <= limits.admission.smallBodyBytes;
  const hold = async (some: readonly Reference[]): Promise<void> => {
    await lease.makeRoom(lease.bodyBytes + totals.bytes, "read");
    await Promise.all(some.map((reference) => reference.hold()));
  };
  const stored = references.filter((reference) => reference instanceof StoredReference);
  const urls = references.filter((reference) => reference instanceof UrlReference);
  await Promise.all(stored.map((file) => file.open()));
  for (const some of batches(urls)) {
    await Promise.all(some.map((url) => url.open()));
    if (!areSmall() || some.some(({ length }) => length === undefined)) break;
    await hold(some);
  }
  const areKnown = urls.every(({ length }) => length !== undefined);
  if (areKnown && areSmall()) {
    for (const some of batches(stored)) await hold(some);
    return true;
  }
  const bytes = lease.bodyBytes + totals.rangeBytes + (areKnown ? totals.bytes : totals.most);
  await lease.makeRoom(bytes, "read into an engine");
  return false;
}

/** As many as may have a connection at once. */
function* batches<T>(references: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < references.length; start += CONNECTIONS) {
    yield references.slice(start, start + CONNECTIONS);
  }
}

/** Fills the engine's memory with the files that are not in it yet. */
async function load(
  files: readonly FormFile[],
  references: readonly Reference[],
  { lease, operation, env }: ReferringRequest,
  totals: FileTotals,
): Promise<ReadonlyMap<FormFile, LoadedFile>> {
  const loaded = new Map<FormFile, LoadedFile>();
  const add = (use: FormFile, bytes: InputBytes, filename: string, sha256?: string): void => {
    const { field, password, passwordIsOwn, source } = use;
    const said = source.charset === undefined ? {} : { charset: source.charset };
    const names = { stem: stemOf(filename), fileName: safeFileName(filename) };
    const file = { field, ...names, ...said, bytes, ...(password !== undefined && { password }), passwordIsOwn };
    loaded.set(use, { file, filename, sha256 });
  };
  const outside: { readonly file: FormFile; readonly filename: string; readonly bytes: EngineBytes }[] = [];
  for (const file of files) {
    if (file.source.kind !== "sent") continue;
    const { filename, bytes } = file.source;
    if (isInEngine(bytes)) add(file, bytes, filename);
    else outside.push({ file, filename, bytes });
  }
  const [inRanges, whole] = [references.filter(isInRanges), references.filter((file) => !isInRanges(file))];
  for (const { ranges, uses, field, filename, sha256 } of inRanges) {
    // Its first bytes tell its type.
    await ranges.fetch(0);
    if (imageKindOf(ranges.view(0, IMAGE_HEAD))) throw imageTooLarge(field, env.sizes.heldBytes, ranges.length);
    for (const use of uses) add(use, ranges, filename, sha256);
  }
  const areKnown = whole.every(({ length }) => length !== undefined);
  const referenced = areKnown ? whole.reduce((sum, { length = 0 }) => sum + length, 0) : totals.most;
  const capacity = outside.reduce((sum, { bytes }) => sum + bytes.length, referenced);
  if (outside.length + whole.length > 0) {
    const arena = lease.engines.pdf.files.arena(capacity, { copies: operation.memory?.freesInput ?? false });
    for (const { file, filename, bytes } of outside) {
      arena.write(bytes.view(0, bytes.length));
      add(file, arena.seal(), filename);
    }
    for (const reference of whole) {
      for await (const chunk of reference.chunks()) arena.write(chunk);
      const bytes = arena.seal();
      for (const use of reference.uses) add(use, bytes, reference.filename, reference.sha256);
    }
  }
  lease.dropCopies();
  return loaded;
}

const isInEngine = (bytes: EngineBytes): bytes is InputBytes => "pointer" in bytes;

const isInRanges = (reference: Reference): reference is StoredReference & { readonly ranges: Ranges } =>
  reference instanceof StoredReference && reference.ranges !== undefined;

/** Bytes in which the signature of an image lies. */
const IMAGE_HEAD = 16;
