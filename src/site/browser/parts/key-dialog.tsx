import { useEffect, useRef, useState } from "preact/hooks";
import type { Usage } from "../api/usage.ts";
import { number } from "./figures.ts";
import { currentKey, looksLikeKey, maskedKey, setKey } from "../api/key.ts";

const EVENT = "ask-for-key";

/** Opens the dialog from anywhere. Returns the key once it is given, or undefined if the dialog is closed without one. */
export function askForKey(): Promise<string | undefined> {
  const before = currentKey();
  dispatchEvent(new Event(EVENT));
  return new Promise((done) => {
    const closed = () => {
      const key = currentKey();
      done(key === before || key === "" ? undefined : key);
    };
    addEventListener(`${EVENT}-closed`, closed, { once: true });
  });
}

/** Whether the server has one account, made at its start. */
const isSingleTenant = (): boolean => document.documentElement.dataset["auth"] === "single";

/** The button in the header, and the dialog it opens. */
export function KeyButton({ value, usage }: { value: string; usage: Usage | undefined }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const open = () => dialog.current?.showModal();
    addEventListener(EVENT, open);
    return () => removeEventListener(EVENT, open);
  }, []);
  return (
    <>
      {value !== "" && usage && (
        <a class="quiet credits" href="#/usage">
          {usage.remaining === null ? `${number(usage.used)} credits used` : `${number(usage.remaining)} credits left`},{" "}
          {usage.plan} plan
        </a>
      )}
      <button type="button" class={value === "" ? "primary small" : "key-chip"} onClick={() => void askForKey()}>
        {value === "" ? (
          "Add API key"
        ) : (
          <>
            <span class={`mode ${value.startsWith("sk_live") ? "live" : "test"}`} aria-hidden="true" />
            <span class="visually-hidden">API key </span>
            <code>{maskedKey(value)}</code>
          </>
        )}
      </button>
      <dialog ref={dialog} aria-labelledby="key-title" onClose={() => dispatchEvent(new Event(`${EVENT}-closed`))}>
        <KeyForm value={value} close={() => dialog.current?.close()} />
      </dialog>
    </>
  );
}

/** Whether the page is of a server on the visitor's own machine. */
const isLocal = (): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** Where somebody with a shell on the server finds a key. */
const ForOperator = () =>
  isSingleTenant() ? (
    <>
      This server has one key: <code>API_KEY</code>, or the file <code>api-key</code> in the data folder. There are no
      accounts to create.
    </>
  ) : (
    <>
      <code>npm start</code> prints a link that contains a key; <code>npm run account -- create --name Example</code>{" "}
      creates an account with one.
    </>
  );

function KeyForm({ value, close }: { value: string; close: () => void }) {
  const [text, setText] = useState("");
  const [issue, setIssue] = useState("");
  const save = (event: Event) => {
    event.preventDefault();
    const key = text.trim();
    if (!looksLikeKey(key)) return setIssue("A key begins with sk_live_ or sk_test_.");
    setKey(key);
    setText("");
    setIssue("");
    close();
  };
  return (
    <form class="stack" onSubmit={save} noValidate>
      <h2 id="key-title">API key</h2>
      <p class="quiet">
        Kept in this tab's session storage and sent only to this service. {isLocal() && <ForOperator />}
      </p>
      {!isLocal() && (
        <>
          <p>
            A key comes from whoever runs this service: ask them for one. Without a key, you can look at every operation
            and read the <a href="/docs">reference</a>, but run nothing.
          </p>
          <details class="quiet">
            <summary>You run this service?</summary>
            <p>
              <ForOperator />
            </p>
          </details>
        </>
      )}
      <div class="field">
        <label for="key-input">{value === "" ? "Key" : "New key"}</label>
        <input
          id="key-input"
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="sk_test_…"
          value={text}
          aria-invalid={issue !== ""}
          aria-describedby={issue === "" ? undefined : "key-issue"}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {issue !== "" && (
          <p class="issue" id="key-issue" role="alert">
            {issue}
          </p>
        )}
      </div>
      <div class="row end">
        {value !== "" && (
          <button
            type="button"
            class="danger"
            onClick={() => {
              setKey("");
              close();
            }}
          >
            Remove key
          </button>
        )}
        <span class="grow" />
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Use this key
        </button>
      </div>
    </form>
  );
}
