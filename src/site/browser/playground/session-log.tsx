import { CopyButton } from "../parts/copy.tsx";
import { clock, duration } from "../parts/figures.ts";
import type { LoggedRequest } from "./workspace.ts";

/** The requests since the page was opened, latest first. */
export function SessionLog({ log }: { log: readonly LoggedRequest[] }) {
  if (log.length === 0) return <p class="quiet padded">The requests of this session are listed here.</p>;
  return (
    <ol class="log" tabIndex={0} aria-label="Requests of this session">
      {log.map(({ time, operation, status, milliseconds, credits, requestId }) => (
        <li key={requestId}>
          <span class={`status ${status < 400 ? "good" : "bad"}`}>{status}</span>
          <code>{operation}</code>
          <span class="quiet">
            {clock(time)}, {duration(milliseconds)}
            {credits !== undefined && `, ${credits === "1" ? "1 credit" : `${credits} credits`}`}
          </span>
          <CopyButton text={requestId} label="Copy ID" of={`the request at ${clock(time)}`} />
        </li>
      ))}
    </ol>
  );
}
