import { useRef, useState } from "preact/hooks";
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
/** What most keys are for. */
const PRESELECTED = ["pdf:read", "pdf:write"];

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

/** A new key, which is shown only once. */
interface Issued {
  readonly id: string;
  readonly key: string;
}

type Asked = { readonly what: "revoke" | "rotate"; readonly key: ApiKey };

export function Keys({ description, apiKey }: { description: Description; apiKey: string }) {
  const { data, error, reload, entries, more } = useList<Page>(apiKey, PATH);
  const [issued, setIssued] = useState<Issued>();
  const title = useRef<HTMLHeadingElement>(null);
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
      if (what === "rotate") return setIssued(await callJson<Issued>(apiKey, "POST", `${PATH}/${key.id}/rotate`, {}));
      await callJson(apiKey, "DELETE", `${PATH}/${key.id}`);
      if (issued?.id === key.id) setIssued(undefined);
      // The button that opened the dialog is gone.
      title.current?.focus();
      if (isOwn(key)) setKey("");
    });
  const isOwn = ({ lastFour, revokedAt }: ApiKey): boolean => revokedAt === null && apiKey.endsWith(lastFour);
  const ownScopes = entries.find(isOwn)?.scopes;

  if (apiKey === "") return <KeyMissing what="keys" />;
  return (
    <div class="dashboard">
      <header class="row">
        <div class="grow">
          <h1 ref={title} tabIndex={-1}>
            API keys
          </h1>
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
        <Secret title="Your new key." value={issued.key}>
          <button type="button" class="plain" onClick={() => setKey(issued.key)}>
            Use it here
          </button>
        </Secret>
      )}
      {making && schema && (
        <section class="card padded" aria-label="Create a key">
          <BodyForm
            schema={schema}
            action="Create"
            // A key can only create keys of its own mode.
            without={["livemode"]}
            initial={{ scopes: PRESELECTED.filter((scope) => ownScopes?.includes(scope) ?? true) }}
            send={async (body) => {
              setIssued(await callJson<Issued>(apiKey, "POST", PATH, body));
              setMaking(false);
              await reload();
            }}
          />
        </section>
      )}
      {entries.length > 0 && (
        <ul class="card stored" aria-label="API keys">
          {entries.map((key) => (
            <Row key={key.id} entry={key} own={isOwn(key)} ask={setAsked} />
          ))}
        </ul>
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
            ? `${isOwn(asked.key) ? "This page uses this key: you will need another one to go on. " : ""}Requests with this key will fail immediately. This cannot be undone.`
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
    <li class={ended ? "ended" : ""} aria-label={name}>
      <div class="name">
        {name} {own && <span class="tag">this key</span>}
        <p class="quiet">
          <code>
            {livemode ? "sk_live_" : "sk_test_"}…{lastFour}
          </code>
        </p>
      </div>
      <div class="scopes">
        {scopes.map((scope) => (
          <code key={scope}>{scope}</code>
        ))}
      </div>
      <div class="expiry">
        {revokedAt !== null
          ? `Revoked ${time(revokedAt)}`
          : expiresAt === null
            ? "Active"
            : `${expired ? "Expired" : "Until"} ${time(expiresAt)}`}
        <p class="quiet">Created {time(createdAt)}</p>
      </div>
      <div class="wrap">
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
      </div>
    </li>
  );
}
