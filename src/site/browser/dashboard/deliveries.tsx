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
        <div class="table">
          <table>
            <thead>
              <tr>
                <th>Event</th>
                <th>State</th>
                <th>Attempts</th>
                <th>Time</th>
                <th>
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((delivery) => (
                <tr key={delivery.id}>
                  <td>
                    <code>{delivery.type}</code>
                  </td>
                  <td>
                    <span class={`tag ${delivery.state === "succeeded" ? "good" : ""}`}>{delivery.state}</span>
                    {delivery.nextAttemptAt !== null && <p class="quiet">Next: {time(delivery.nextAttemptAt)}</p>}
                  </td>
                  <td>
                    <ol>
                      {delivery.attempts.map((attempt) => (
                        <li key={attempt.attempt} title={attempt.response ?? ""}>
                          {attempt.status ?? ""} {attempt.error ?? ""}{" "}
                          <span class="quiet">{duration(attempt.durationMilliseconds)}</span>
                        </li>
                      ))}
                    </ol>
                  </td>
                  <td>{time(delivery.createdAt)}</td>
                  <td class="actions">
                    <button type="button" class="plain" onClick={() => void replay(delivery.id)}>
                      Replay
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
