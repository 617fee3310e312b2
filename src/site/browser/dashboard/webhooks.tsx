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

type Asked = { readonly what: "delete" | "rotate"; readonly webhook: Webhook };

export function Webhooks({ description, apiKey }: { description: Description; apiKey: string }) {
  const offered = description.paths[PATH] !== undefined;
  const { data, error, reload } = useData<{ data: readonly Webhook[] }>(apiKey, offered ? PATH : undefined);
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<Asked>();
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
          ask={setAsked}
        />
      ))}
      {asked?.what === "delete" && (
        <Confirm
          title="Delete this webhook?"
          action="Delete"
          confirm={() => void attempt(() => callJson(apiKey, "DELETE", `${PATH}/${asked.webhook.id}`))}
          close={() => setAsked(undefined)}
        >
          <code>{asked.webhook.url}</code> will receive no more events.
        </Confirm>
      )}
      {asked?.what === "rotate" && (
        <Confirm
          title="Rotate the secret?"
          action="Rotate"
          confirm={() =>
            void attempt(async () => {
              setSecret((await callJson<Webhook>(apiKey, "POST", `${PATH}/${asked.webhook.id}/rotate-secret`)).secret);
            })
          }
          close={() => setAsked(undefined)}
        >
          Deliveries to <code>{asked.webhook.url}</code> are signed with both secrets for a day, then only with the new
          one.
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
  readonly ask: (asked: Asked) => void;
}

function Subscription({ webhook, description, apiKey, attempt, ask }: SubscriptionProps) {
  const { id, url, events, secret, active, createdAt } = webhook;
  const [open, setOpen] = useState(false);
  const [tested, setTested] = useState(0);
  const [editing, setEditing] = useState(false);
  const changeable = bodyOf(description, "patch", `${PATH}/{id}`);
  const own = `${PATH}/${id}`;
  const has = (path: string) => description.paths[`${PATH}/{id}${path}`] !== undefined;
  return (
    <article class="card padded" aria-label={url}>
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
            disabled={!active}
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
        {changeable && (
          <button type="button" aria-expanded={editing} onClick={() => setEditing(!editing)}>
            {editing ? "Close" : "Edit"}
          </button>
        )}
        {has("/rotate-secret") && (
          <button type="button" onClick={() => ask({ what: "rotate", webhook })}>
            Rotate secret
          </button>
        )}
        <button type="button" class="danger" onClick={() => ask({ what: "delete", webhook })}>
          Delete
        </button>
      </div>
      {editing && changeable && (
        <BodyForm
          schema={changeable}
          action="Save"
          without={["active"]}
          initial={{ url, events, description: webhook.description ?? undefined }}
          send={async (body) => {
            // Only changed values: sending a URL resets the count of failures.
            const changes = { events: body["events"], description: body["description"] ?? null };
            await callJson(apiKey, "PATCH", own, {
              ...changes,
              ...(body["url"] !== url && { url: body["url"] ?? "" }),
            });
            setEditing(false);
            await attempt(async () => {});
          }}
        />
      )}
      {open && <Deliveries key={String(active)} path={`${own}/deliveries`} apiKey={apiKey} tested={tested} />}
    </article>
  );
}
