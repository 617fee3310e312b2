import { useState } from "preact/hooks";
import { callJson } from "../api/call.ts";
import { bodyOf, type Description } from "../../description/description.ts";
import { setKey } from "../api/key.ts";
import { number, time } from "../parts/figures.ts";
import { BodyForm } from "./body-form.tsx";
import { Confirm } from "./confirm.tsx";
import { Failure, KeyMissing } from "./failure.tsx";
import { Secret } from "./secret.tsx";
import { useList } from "./use-data.ts";

const PATH = "/api/v1/keys";

interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly livemode: boolean;
  readonly scopes: readonly string[];
  readonly lastFour: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

interface Page {
  readonly data: readonly ApiKey[];
  readonly count: number;
  readonly nextCursor: string | null;
}

type Asked = { readonly what: "revoke" | "rotate"; readonly key: ApiKey };

export function Keys({ description, apiKey }: { description: Description; apiKey: string }) {
  const { data, error, reload, entries, more } = useList<Page>(apiKey, PATH);
  const [issued, setIssued] = useState<string>();
  const [asked, setAsked] = useState<Asked>();
  const [failed, setFailed] = useState<unknown>();
  const [making, setMaking] = useState(false);
  const schema = bodyOf(description, "post", PATH);

  const attempt = async (work: () => Promise<void>) => {
    setFailed(undefined);
    try {
      await work();
    } catch (error) {
      setFailed(error);
    }
    await reload();
  };
  const act = ({ what, key }: Asked) =>
    attempt(async () => {
      if (what === "revoke") await callJson(apiKey, "DELETE", `${PATH}/${key.id}`);
      else setIssued((await callJson<{ key: string }>(apiKey, "POST", `${PATH}/${key.id}/rotate`, {})).key);
    });

  if (apiKey === "") return <KeyMissing what="keys" />;
  return (
    <div class="dashboard">
      <header class="row">
        <div class="grow">
          <h1>API keys</h1>
          {data && (
            <p class="quiet">
              {number(data.count)} in {apiKey.startsWith("sk_live") ? "live" : "test"} mode, including revoked keys
            </p>
          )}
        </div>
        {schema && (
          <button
            type="button"
            class={making ? "" : "primary"}
            aria-expanded={making}
            onClick={() => setMaking(!making)}
          >
            {making ? "Close" : "Create a key"}
          </button>
        )}
      </header>
      <Failure error={error ?? failed} />
      {issued !== undefined && (
        <Secret title="Your new key." value={issued}>
          <button type="button" class="plain" onClick={() => setKey(issued)}>
            Use it here
          </button>
        </Secret>
      )}
      {making && schema && (
        <section class="card padded" aria-label="Create a key">
          <BodyForm
            schema={schema}
            action="Create"
            send={async (body) => {
              setIssued((await callJson<{ key: string }>(apiKey, "POST", PATH, body)).key);
              setMaking(false);
              await reload();
            }}
          />
        </section>
      )}
      {data && (
        <div class="card table">
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Key</th>
                <th>Scopes</th>
                <th>Created</th>
                <th>State</th>
                <th>
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {entries.map((key) => (
                <Row key={key.id} entry={key} own={apiKey.endsWith(key.lastFour)} ask={setAsked} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more && (
        <button type="button" onClick={() => void more()}>
          Older keys
        </button>
      )}
      {asked && (
        <Confirm
          title={asked.what === "revoke" ? `Revoke “${asked.key.name}”?` : `Rotate “${asked.key.name}”?`}
          action={asked.what === "revoke" ? "Revoke" : "Rotate"}
          confirm={() => void act(asked)}
          close={() => setAsked(undefined)}
        >
          {asked.what === "revoke"
            ? "Requests with this key will fail immediately. This cannot be undone."
            : "This creates a new key with the same scopes. The old key works for one more day."}
        </Confirm>
      )}
    </div>
  );
}

function Row({ entry, own, ask }: { entry: ApiKey; own: boolean; ask: (asked: Asked) => void }) {
  const { name, livemode, scopes, lastFour, createdAt, expiresAt, revokedAt } = entry;
  const expired = expiresAt !== null && new Date(expiresAt) <= new Date();
  const ended = revokedAt !== null || expired;
  return (
    <tr class={ended ? "ended" : ""}>
      <td>
        {name} {own && <span class="tag">this key</span>}
      </td>
      <td>
        <code>
          {livemode ? "sk_live_" : "sk_test_"}…{lastFour}
        </code>
      </td>
      <td class="scopes">
        {scopes.map((scope) => (
          <code key={scope}>{scope}</code>
        ))}
      </td>
      <td>{time(createdAt)}</td>
      <td>
        {revokedAt !== null
          ? `Revoked ${time(revokedAt)}`
          : expiresAt === null
            ? "Active"
            : `${expired ? "Expired" : "Until"} ${time(expiresAt)}`}
      </td>
      <td class="actions">
        {!ended && (
          <>
            <button
              type="button"
              class="plain"
              aria-label={`Rotate ${name}`}
              onClick={() => ask({ what: "rotate", key: entry })}
            >
              Rotate
            </button>
            <button
              type="button"
              class="plain danger"
              aria-label={`Revoke ${name}`}
              onClick={() => ask({ what: "revoke", key: entry })}
            >
              Revoke
            </button>
          </>
        )}
      </td>
    </tr>
  );
}
