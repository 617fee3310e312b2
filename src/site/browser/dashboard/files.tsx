import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Operation } from "../../description/description.ts";
import { callJson } from "../api/call.ts";
import { FILES, type StoredFile, uploadFile } from "../api/stored-files.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Drop } from "../parts/drop.tsx";
import { bytes, number, time } from "../parts/figures.ts";
import { Confirm } from "./confirm.tsx";
import { Failure, KeyMissing } from "./failure.tsx";
import { useList } from "./use-data.ts";

interface Page {
  readonly data: readonly StoredFile[];
  readonly count: number;
  readonly storedBytes: number;
  readonly nextCursor: string | null;
}

interface Props {
  readonly operations: readonly Operation[];
  readonly apiKey: string;
}

/** The files that are kept: uploading, deleting, and using them in operations. */
export function Files({ operations, apiKey }: Props) {
  const { data, error, reload, entries, more } = useList<Page>(apiKey, FILES);
  const [using, setUsing] = useState<StoredFile>();
  const [deleting, setDeleting] = useState<StoredFile>();
  const [failed, setFailed] = useState<unknown>();
  const remove = async ({ id }: StoredFile) => {
    setFailed(undefined);
    await callJson(apiKey, "DELETE", `${FILES}/${id}`).catch(setFailed);
    await reload();
  };

  if (apiKey === "") return <KeyMissing what="files" />;
  return (
    <div class="dashboard">
      <header>
        <h1>Files</h1>
        {data && (
          <p class="quiet">
            {number(data.count)} in {apiKey.startsWith("sk_live") ? "live" : "test"} mode, {bytes(data.storedBytes)}.
            They are encrypted, and deleted when they expire.
          </p>
        )}
      </header>
      <Failure error={error ?? failed} />
      <Upload apiKey={apiKey} done={reload} />
      {entries.length > 0 && (
        <ul class="card stored" aria-label="Stored files">
          {entries.map((file) => (
            <Row key={file.id} file={file} use={() => setUsing(file)} remove={() => setDeleting(file)} />
          ))}
        </ul>
      )}
      {more && (
        <button type="button" onClick={() => void more()}>
          Older files
        </button>
      )}
      {using && <UseIn file={using} operations={operations} close={() => setUsing(undefined)} />}
      {deleting && (
        <Confirm
          title={`Delete “${deleting.name}”?`}
          action="Delete"
          confirm={() => void remove(deleting)}
          close={() => setDeleting(undefined)}
        >
          Requests with its ID will fail immediately. This cannot be undone.
        </Confirm>
      )}
    </div>
  );
}

function Row({ file, use, remove }: { file: StoredFile; use: () => void; remove: () => void }) {
  const { id, name, size, contentType, status, parts, expiresAt } = file;
  return (
    <li>
      <div class="name">
        {name}
        <p class="quiet">
          {status === "ready" ? contentType : `pending: ${parts?.received.length} of ${parts?.count} parts`},{" "}
          {bytes(size)}
        </p>
      </div>
      <div class="expiry">
        Expires in {remaining(expiresAt)}
        <p class="quiet">{time(expiresAt)}</p>
      </div>
      <div class="wrap">
        {status === "ready" && (
          <button type="button" class="plain" aria-label={`Use in… ${name}`} onClick={use}>
            Use in…
          </button>
        )}
        <CopyButton text={id} label="Copy ID" of={name} />
        <button type="button" class="plain danger" aria-label={`Delete ${name}`} onClick={remove}>
          Delete
        </button>
      </div>
    </li>
  );
}

function remaining(expiresAt: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(expiresAt) - Date.now()) / 60_000));
  const [count, unit] =
    minutes < 120
      ? [minutes, "minute"]
      : minutes < 48 * 60
        ? [Math.round(minutes / 60), "hour"]
        : [Math.round(minutes / 1440), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** A dialog with the operations that take the file. */
function UseIn({ file, operations, close }: { file: StoredFile; operations: Props["operations"]; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const links = operations.flatMap((operation) => {
    const field = operation.fields.find(
      ({ kind, when, ...rest }) =>
        kind !== "value" &&
        Object.keys(when).length === 0 &&
        "accept" in rest &&
        rest.accept.split(/,\s*/).includes(file.contentType ?? ""),
    );
    return field ? [{ name: operation.name, href: `#/${operation.name}?${field.name}=${file.id}` }] : [];
  });
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={close}>
      <div class="stack">
        <h2 id={title}>Use “{file.name}” in</h2>
        {links.length === 0 && <p class="quiet">No operation takes a file of this type.</p>}
        <ul class="uses">
          {links.map(({ name, href }) => (
            <li key={name}>
              <a href={href}>{name}</a>
            </li>
          ))}
        </ul>
        <div class="row end">
          <span class="grow" />
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </div>
    </dialog>
  );
}

const KEPT = [
  [3_600, "1 hour"],
  [86_400, "1 day"],
  [7 * 86_400, "7 days"],
] as const;

interface Uploading {
  /** The status text, without the progress. */
  readonly title: string;
  /** From 0 to 1. */
  readonly part: number;
  readonly detail: string | undefined;
  readonly stop: () => void;
}

/** Uploads files one after the other. */
function Upload({ apiKey, done }: { apiKey: string; done: () => Promise<void> }) {
  const id = useId();
  const [seconds, setSeconds] = useState(86_400);
  const [uploading, setUploading] = useState<Uploading>();
  const [outcome, setOutcome] = useState("");
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => () => uploading?.stop(), [uploading?.stop]);
  const upload = async (files: readonly File[]) => {
    setFailed(undefined);
    setOutcome("");
    const abort = new AbortController();
    const stop = () => abort.abort();
    try {
      for (const [index, file] of files.entries()) {
        const which = files.length > 1 ? ` (${index + 1} of ${files.length})` : "";
        const progress = (part: number, detail?: string) =>
          setUploading({ title: `Uploading ${file.name}${which}`, part, detail, stop });
        progress(0);
        await uploadFile(apiKey, file, { seconds, progress, signal: abort.signal });
      }
      setOutcome(files.length > 1 ? `${files.length} files are stored.` : `${files[0]?.name} is stored.`);
    } catch (error) {
      if (!abort.signal.aborted) setFailed(error);
    }
    setUploading(undefined);
    await done();
  };
  return (
    <section class="card padded" aria-label="Upload">
      <Failure error={failed} />
      <div role="status" class="visually-hidden">
        {uploading?.title ?? outcome}
      </div>
      {uploading ? (
        <div class="uploading">
          <div class="row">
            <span class="grow file-name">
              {uploading.title} {Math.round(uploading.part * 100)}%{uploading.detail && `, ${uploading.detail}`}…
            </span>
            <button type="button" class="plain" onClick={uploading.stop}>
              Cancel
            </button>
          </div>
          <progress aria-label={uploading.title} max={1} value={uploading.part} />
        </div>
      ) : (
        <Drop label="Upload files" multiple take={(files) => void upload(files)} />
      )}
      <div class="row">
        <label for={id}>Keep for</label>
        <select
          id={id}
          class="kept"
          disabled={uploading !== undefined}
          onChange={(event) => setSeconds(Number(event.currentTarget.value))}
        >
          {KEPT.map(([value, words]) => (
            <option key={value} value={value} selected={value === seconds}>
              {words}
            </option>
          ))}
        </select>
      </div>
    </section>
  );
}
