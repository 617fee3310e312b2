import { useEffect, useState } from "preact/hooks";
import { callJson } from "../api/call.ts";
import { duration, time } from "../parts/figures.ts";
import { Failure } from "./failure.tsx";
import { useData } from "./use-data.ts";

interface Attempt {
  readonly attempt: number;
  readonly startedAt: string;
  readonly durationMilliseconds: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  readonly attempts: readonly Attempt[];
}

interface Props {
  readonly path: string;
  readonly apiKey: string;
  /** Incremented with each test that is sent, to load its delivery too. */
  readonly tested: number;
}

/** The latest deliveries of a webhook. Pending ones are polled. */
export function Deliveries({ path, apiKey, tested }: Props) {
  const { data, error, reload } = useData<{ data: readonly Delivery[] }>(apiKey, path);
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => {
    void reload();
    const soon = setTimeout(() => void reload(), 2_000);
    return () => clearTimeout(soon);
  }, [tested]);
  const replay = async (id: string) => {
    setFailed(undefined);
    try {
      await callJson(apiKey, "POST", `${path}/${id}/replay`);
    } catch (error) {
      setFailed(error);
    }
    await reload();
  };
  return (
    <>
      <Failure error={error ?? failed} />
      <div class="row">
        <h2 class="grow">Deliveries</h2>
        <button type="button" class="plain" onClick={() => void reload()}>
          Refresh
        </button>
      </div>
      {data?.data.length === 0 && <p class="quiet">No deliveries yet.</p>}
      {data && data.data.length > 0 && (
        <ul class="stored deliveries" aria-label="Deliveries">
          {data.data.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} replay={() => void replay(delivery.id)} />
          ))}
        </ul>
      )}
    </>
  );
}

function Row({ delivery, replay }: { delivery: Delivery; replay: () => void }) {
  const { type, state, nextAttemptAt, createdAt, attempts } = delivery;
  return (
    <li aria-label={`${type}: ${state}`}>
      <div class="name">
        <code>{type}</code> <span class={`tag ${state === "succeeded" ? "good" : ""}`}>{state}</span>
        <p class="quiet">
          {time(createdAt)}
          {nextAttemptAt !== null && `, next attempt ${time(nextAttemptAt)}`}
        </p>
      </div>
      <div class="wrap">
        <button type="button" class="plain" onClick={replay}>
          Replay
        </button>
      </div>
      {attempts.length > 0 && (
        <ol class="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.attempt}>
              <details>
                <summary>
                  Attempt {attempt.attempt}: {attempt.status ?? attempt.error}{" "}
                  <span class="quiet">
                    {time(attempt.startedAt)}, {duration(attempt.durationMilliseconds)}
                  </span>
                </summary>
                {attempt.status !== null && attempt.error !== null && <p class="issue">{attempt.error}</p>}
                {attempt.response ? (
                  <pre class="text" tabIndex={0}>
                    {attempt.response}
                  </pre>
                ) : (
                  <p class="quiet">
                    {attempt.status === null ? "There was no response." : "The response has no body."}
                  </p>
                )}
              </details>
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}
