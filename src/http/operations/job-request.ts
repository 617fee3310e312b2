import type { LoadedFile } from "./load-files.ts";
import type { FormFile } from "../form/form-reader.ts";
import type { FormPart } from "../multipart/multipart.ts";
import { safeFileName } from "../../operations/definition/file-names.ts";
import type { Database } from "../../jobs/job.ts";
import type { EngineBytes } from "../../engines/memory/heap.ts";
import type { FileOwner, FileStore } from "../../files/file.ts";
import { openFile } from "../../files/read.ts";
import { FileUpload } from "../../files/upload.ts";

/*
 * What a job keeps of its request: a file with the text fields of its form, in JSON, encrypted as all files, because passwords
 * are among them. A file that was sent or fetched is stored, and the form then refers to it.
 */

/** The job whose files are written, and when it times out. */
interface JobOwner extends FileOwner {
  readonly job: string;
  readonly expiresAt: Date;
}

interface RequestForm {
  readonly parts: readonly FormPart<EngineBytes>[];
  readonly loaded: ReadonlyMap<FormFile, LoadedFile>;
}

/** Stores the files of a request and its form, and returns the ID of the form's file. */
export async function writeJobRequest(
  db: Database,
  store: FileStore,
  owner: JobOwner,
  { parts, loaded }: RequestForm,
): Promise<string> {
  const references = new Map<string, readonly [reference: string, charset?: string]>();
  for (const [{ field, source }, { file, filename }] of loaded) {
    // Two steps of a pipeline can take the same file.
    if (references.has(field)) continue;
    const said = source.charset === undefined ? ([] as const) : ([source.charset] as const);
    if (source.kind === "stored") references.set(field, [source.to, ...said]);
    else {
      const { length } = file.bytes;
      const stored = await writeJobFile(db, store, owner, {
        name: safeFileName(filename),
        length,
        chunks: piecesOf(file.bytes),
      });
      references.set(field, [stored.id, ...said]);
    }
  }
  const texts = parts.flatMap((part) =>
    part.kind === "text" && !references.has(part.field) ? [[part.field, part.value] as const] : [],
  );
  const json = new TextEncoder().encode(
    JSON.stringify([...texts, ...Array.from(references, ([field, reference]) => [field, ...reference])]),
  );
  const { id } = await writeJobFile(db, store, owner, {
    name: "request.json",
    length: json.length,
    chunks: [json],
  });
  return id;
}

/** The form of a job's request. */
export async function readJobRequest(
  db: Database,
  store: FileStore,
  owner: FileOwner,
  id: string,
): Promise<readonly FormPart<EngineBytes>[]> {
  const { source } = await openFile(db, store, owner, id, new Date());
  const json = new TextDecoder().decode(await source.read(0, source.length));
  const texts = JSON.parse(json) as readonly (readonly [field: string, value: string, charset?: string])[];
  return texts.map(([field, value, charset]) => ({
    kind: "text",
    field,
    value,
    ...(charset !== undefined && { charset }),
  }));
}

interface NewFile {
  readonly name: string;
  /** In bytes, if it is known. */
  readonly length?: number | undefined;
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Stores a file of a job. */
export async function writeJobFile(
  db: Database,
  store: FileStore,
  owner: JobOwner,
  { name, length, chunks }: NewFile,
): Promise<{ readonly id: string; readonly size: number; readonly sha256: string }> {
  const now = new Date();
  const { expiresAt, ...of } = owner;
  const upload = await FileUpload.begin(db, store, of, { length, quota: undefined, expiresAt }, now);
  try {
    for await (const chunk of chunks) await upload.write(chunk);
    const keptSeconds = Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000);
    const { id, size, sha256 } = await upload.finish({ name, keptSeconds });
    return { id, size, sha256: sha256 ?? "" };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

const PIECE_BYTES = 64 * 1024;

/** Copies of the bytes, which stay where they are. */
function* piecesOf(bytes: EngineBytes): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.view(start, Math.min(start + PIECE_BYTES, bytes.length)).slice();
  }
}
