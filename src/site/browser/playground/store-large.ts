import type { ChosenFile, Entry, LocalFile } from "../../description/form-values.ts";
import type { Progress } from "../api/call.ts";
import { referTo, uploadFile } from "../api/stored-files.ts";
import type { Usage } from "../api/usage.ts";
import { bytes } from "../parts/figures.ts";

/** What the parts of a form take besides their files. */
const OVERHEAD = 64 * 1024;
/** How long a file is kept that is stored because it is large. */
const SECONDS = 86_400;

const localFiles = (entries: readonly Entry[]): LocalFile[] =>
  entries.flatMap((entry) => ("file" in entry ? [entry.file] : []));

const sizeOf = (files: readonly LocalFile[]): number => files.reduce((sum, { blob }) => sum + blob.size, 0);

/** Whether a request is over the plan's limit: then its files are stored first, and it becomes a job. */
export const isLarge = (entries: readonly Entry[], limits: Usage["limits"] | undefined): boolean =>
  limits !== undefined && sizeOf(localFiles(entries)) + OVERHEAD > limits.requestBytes;

/** A part of `GET /limits`. `fileBytes`: null if one PDF can have any size. */
interface ServerLimits {
  readonly filesBytes: number;
  readonly operations: Readonly<Record<string, { readonly fileBytes: number | null }>>;
}

/** Asked once per page. If it fails, nothing is checked, and the service rejects files that are too large. */
let asked: Promise<ServerLimits | undefined> | undefined;

const serverLimits = (): Promise<ServerLimits | undefined> =>
  (asked ??= fetch("/api/v1/limits")
    .then((response) => (response.ok ? (response.json() as Promise<ServerLimits>) : undefined))
    .catch(() => undefined));

/** Why a request cannot be sent at all, which is known before anything of it is. */
export async function tooLarge(
  entries: readonly Entry[],
  operation: string,
  usage: Usage | undefined,
): Promise<string | undefined> {
  const files = localFiles(entries);
  const file = files.find(({ blob }) => usage !== undefined && blob.size > usage.limits.fileBytes);
  if (file !== undefined && usage !== undefined)
    return `${file.name} is ${bytes(file.blob.size)}. The ${usage.plan} plan stores files up to ${bytes(usage.limits.fileBytes)}.`;
  const server = files.length > 0 ? await serverLimits() : undefined;
  if (server === undefined) return undefined;
  const { filesBytes } = server;
  // One PDF may be read in ranges: the largest.
  const inRanges =
    server.operations[operation]?.fileBytes === null ? Math.max(...files.map(({ blob }) => blob.size)) : 0;
  const held = sizeOf(files) - (inRanges > filesBytes ? inRanges : 0);
  if (held <= filesBytes) return undefined;
  const what = files.length === 1 ? `${files[0]?.name} is` : "The files are";
  return `${what} ${bytes(sizeOf(files))}. On this server, ${operation} takes up to ${bytes(filesBytes)}, because it needs all of it in memory. If you run the server, raise MEMORY_BUDGET_MIB.`;
}

interface Stored {
  readonly entries: readonly Entry[];
  readonly replaced: ReadonlyMap<ChosenFile, ChosenFile>;
}

/** Stores files, the largest first, until the others fit into a request. Throws an `ApiFailure`. */
export async function storeLarge(
  key: string,
  entries: readonly Entry[],
  { requestBytes }: Usage["limits"],
  progressed: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Stored> {
  const files = localFiles(entries).toSorted((a, b) => a.blob.size - b.blob.size);
  const replaced = new Map<ChosenFile, ChosenFile>();
  while (sizeOf(files) + OVERHEAD > requestBytes) {
    const file = files.pop();
    if (file === undefined) break;
    const progress = (part: number, detail?: string) =>
      progressed({ phase: "storing", part, ...(detail ? { detail } : {}) });
    progress(0);
    const stored = await uploadFile(key, new File([file.blob], file.name), { seconds: SECONDS, progress, signal });
    replaced.set(file, { ...referTo(stored), password: file.password });
  }
  const sent = entries.map((entry): Entry => {
    const reference = "file" in entry ? replaced.get(entry.file) : undefined;
    if (reference === undefined || !("reference" in reference)) return entry;
    return { name: entry.name, text: reference.reference, refersTo: reference.name };
  });
  return { entries: sent, replaced };
}
