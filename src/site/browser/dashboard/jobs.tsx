import { useEffect, useRef, useState } from "preact/hooks";
import { callFile, callJson } from "../api/call.ts";
import { isLive, type Job, JOBS, pagesOf } from "../api/jobs.ts";
import { CopyButton } from "../parts/copy.tsx";
import { bytes, number, time } from "../parts/figures.ts";
import { Inline } from "../parts/prose.tsx";
import { Failure, KeyMissing } from "./failure.tsx";
import { useList } from "./use-data.ts";

interface Page {
  readonly data: readonly Job[];
  readonly count: number;
  readonly nextCursor: string | null;
}

/** Seconds that a request waits for the end of a job at most, before the list is loaded again. */
const LONGEST_WAIT = 16;

/** The account's jobs: their progress, canceling, results. */
export function Jobs({ apiKey }: { apiKey: string }) {
  const { data, error, reload, entries, more } = useList<Page>(apiKey, JOBS);
  const [failed, setFailed] = useState<unknown>();
  const wait = useRef(1);
  const live = data?.data.find(isLive)?.id;
  useEffect(() => {
    if (live === undefined) return undefined;
    let isShown = true;
    callJson(apiKey, "GET", `${JOBS}/${live}?wait=${wait.current}`)
      .then(() => (isShown ? reload() : undefined))
      .catch(setFailed);
    wait.current = Math.min(2 * wait.current, LONGEST_WAIT);
    return () => {
      isShown = false;
    };
  }, [data]);
  const act = async (work: () => Promise<unknown>) => {
    setFailed(undefined);
    await work().catch(setFailed);
    await reload();
  };

  if (apiKey === "") return <KeyMissing what="jobs" />;
  return (
    <div class="dashboard">
      <header>
        <h1>Jobs</h1>
        {data && (
          <p class="quiet">
            {number(data.count)} in {apiKey.startsWith("sk_live") ? "live" : "test"} mode. “Run as a job” starts one.
          </p>
        )}
      </header>
      <Failure error={error ?? failed} />
      {entries.length > 0 && (
        <ul class="card stored" aria-label="Jobs">
          {entries.map((job) => (
            <Row
              key={job.id}
              job={job}
              cancel={() => void act(() => callJson(apiKey, "POST", `${JOBS}/${job.id}/cancel`))}
              remove={() => void act(() => callJson(apiKey, "DELETE", `${JOBS}/${job.id}`))}
              download={() => void act(() => download(apiKey, job))}
            />
          ))}
        </ul>
      )}
      {more && (
        <button type="button" onClick={() => void more()}>
          Older jobs
        </button>
      )}
    </div>
  );
}

interface RowProps {
  readonly job: Job;
  readonly cancel: () => void;
  readonly remove: () => void;
  readonly download: () => void;
}

function Row({ job, cancel, remove, download }: RowProps) {
  const { id, credits, operation, status, progress, result, error, createdAt, expiresAt } = job;
  const { total, done, failed } = progress;
  return (
    <li>
      <div class="name">
        {operation}: {status}
        <p class="quiet">
          {error ? <Inline text={error.message} /> : pagesOf(job)}
          {result && `, ${bytes(result.size)}`}
          {!error && `, ${costOf(credits)}`}
        </p>
        <p class="quiet">
          <code>{id}</code> <CopyButton text={id} />
        </p>
        {isLive(job) && <progress aria-label={`Progress of ${operation}`} max={total} value={done + failed} />}
      </div>
      <div class="expiry">
        Started {time(createdAt)}
        {result && <p class="quiet">Kept until {time(expiresAt)}</p>}
      </div>
      <div class="wrap">
        {(result || isLive(job)) && (
          <a class="plain button" href={`#/${operation}?job=${id}`}>
            Open
          </a>
        )}
        {result && (
          <button type="button" class="plain" onClick={download}>
            Download
          </button>
        )}
        {isLive(job) ? (
          <button type="button" class="plain" onClick={cancel}>
            Cancel
          </button>
        ) : (
          <button type="button" class="plain danger" onClick={remove}>
            Delete
          </button>
        )}
      </div>
    </li>
  );
}

/** The price of a job, or the credits reserved for it until it ends. */
function costOf({ charged, reserved }: Job["credits"]): string {
  const credits = charged ?? reserved;
  return `${number(credits)} ${credits === 1 ? "credit" : "credits"}${charged === null ? " reserved" : ""}`;
}

async function download(apiKey: string, { id, operation }: Job): Promise<void> {
  const { blob, name = `${operation}.json` } = await callFile(apiKey, `${JOBS}/${id}/result`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
