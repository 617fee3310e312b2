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

/** Why a request cannot be sent at all, which is known before anything of it is. */
export function tooLarge(entries: readonly Entry[], usage: Usage | undefined): string | undefined {
  const file = localFiles(entries).find(({ blob }) => usage !== undefined && blob.size > usage.limits.fileBytes);
  if (file === undefined || usage === undefined) return undefined;
  return `${file.name} is ${bytes(file.blob.size)}. The ${usage.plan} plan stores files up to ${bytes(usage.limits.fileBytes)}.`;
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
    const progress = (part: number) => progressed({ phase: "storing", part });
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
