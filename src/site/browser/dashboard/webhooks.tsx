import { useState } from "preact/hooks";
import { callJson } from "../api/call.ts";
import { bodyOf, type Description } from "../../description/description.ts";
import { time } from "../parts/figures.ts";
import { BodyForm } from "./body-form.tsx";
import { Confirm } from "./confirm.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Failure, KeyMissing } from "./failure.tsx";
import { Secret } from "./secret.tsx";
import { useData } from "./use-data.ts";

const PATH = "/api/v1/webhooks";

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | null;
  readonly secret: string;
  readonly active: boolean;
  readonly createdAt: string;
}

export function Webhooks({ description, apiKey }: { description: Description; apiKey: string }) {
  const offered = description.paths[PATH] !== undefined;
  const { data, error, reload } = useData<{ data: readonly Webhook[] }>(apiKey, offered ? PATH : undefined);
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [removing, setRemoving] = useState<Webhook>();
  const [failed, setFailed] = useState<unknown>();
  const schema = bodyOf(description, "post", PATH);

  const attempt = async (work: () => Promise<unknown>) => {
    setFailed(undefined);
    try {
      await work();
    } catch (error) {
      setFailed(error);
    }
    await reload();
  };

  if (!offered) return <p class="notice">This service does not offer webhooks.</p>;
  if (apiKey === "") return <KeyMissing what="webhooks" />;
  return (
    <div class="dashboard">
      <header class="row">
        <div class="grow">
          <h1>Webhooks</h1>
          <p class="quiet">Signed requests to your URL when something happens (Standard Webhooks).</p>
        </div>
        {schema && (
          <button
            type="button"
            class={making ? "" : "primary"}
            aria-expanded={making}
            onClick={() => setMaking(!making)}
          >
            {making ? "Close" : "Add a webhook"}
          </button>
        )}
      </header>
      <Failure error={error ?? failed} />
      {secret !== undefined && <Secret title="Your signing secret." value={secret} />}
      {making && schema && (
        <section class="card padded" aria-label="Add a webhook">
          <BodyForm
            schema={schema}
            action="Add"
            send={async (body) => {
              setSecret((await callJson<Webhook>(apiKey, "POST", PATH, body)).secret);
              setMaking(false);
              await reload();
            }}
          />
        </section>
      )}
      {data?.data.length === 0 && !making && <p class="blank">No webhooks yet.</p>}
      {data?.data.map((webhook) => (
        <Subscription
          key={webhook.id}
          webhook={webhook}
          description={description}
          apiKey={apiKey}
          attempt={attempt}
          showSecret={setSecret}
          remove={() => setRemoving(webhook)}
        />
      ))}
      {removing && (
        <Confirm
          title="Delete this webhook?"
          action="Delete"
          confirm={() => void attempt(() => callJson(apiKey, "DELETE", `${PATH}/${removing.id}`))}
          close={() => setRemoving(undefined)}
        >
          <code>{removing.url}</code> will receive no more events.
        </Confirm>
      )}
    </div>
  );
}

interface SubscriptionProps {
  readonly webhook: Webhook;
  readonly description: Description;
  readonly apiKey: string;
  readonly attempt: (work: () => Promise<unknown>) => Promise<void>;
  readonly showSecret: (secret: string) => void;
  readonly remove: () => void;
}

function Subscription({ webhook, description, apiKey, attempt, showSecret, remove }: SubscriptionProps) {
  const { id, url, events, secret, active, createdAt } = webhook;
  const [open, setOpen] = useState(false);
  const [tested, setTested] = useState(0);
  const own = `${PATH}/${id}`;
  const has = (path: string) => description.paths[`${PATH}/{id}${path}`] !== undefined;
  return (
    <section class="card padded" aria-label={url}>
      <div class="row">
        <code class="grow url">{url}</code>
        <span class={`tag ${active ? "good" : ""}`}>{active ? "active" : "inactive"}</span>
      </div>
      <p class="scopes">
        {events.map((event) => (
          <code key={event}>{event}</code>
        ))}
      </p>
      {webhook.description && <p>{webhook.description}</p>}
      <p class="quiet">
        Created {time(createdAt)}. Secret <code>{secret}</code>
      </p>
      <div class="row wrap">
        {has("/test") && (
          <button
            type="button"
            onClick={() =>
              void attempt(async () => {
                await callJson(apiKey, "POST", `${own}/test`);
                setOpen(true);
                setTested(tested + 1);
              })
            }
          >
            Send test event
          </button>
        )}
        {has("/deliveries") && (
          <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide deliveries" : "Deliveries"}
          </button>
        )}
        <button type="button" onClick={() => void attempt(() => callJson(apiKey, "PATCH", own, { active: !active }))}>
          {active ? "Deactivate" : "Activate"}
        </button>
        {has("/rotate-secret") && (
          <button
            type="button"
            onClick={() =>
              void attempt(async () => {
                showSecret((await callJson<Webhook>(apiKey, "POST", `${own}/rotate-secret`)).secret);
              })
            }
          >
            Rotate secret
          </button>
        )}
        <button type="button" class="danger" onClick={remove}>
          Delete
        </button>
      </div>
      {open && <Deliveries path={`${own}/deliveries`} apiKey={apiKey} tested={tested} />}
    </section>
  );
}
