import { useEffect, useState } from "preact/hooks";
import { type Usage as AccountUsage, useUsage } from "./api/usage.ts";
import { emptyWorkspace, type Workspace } from "./playground/workspace.ts";
import { createPortal } from "preact/compat";
import { type Description, operationsOf } from "../description/description.ts";
import { currentKey, onKeyChange, takeKeyFromAddress } from "./api/key.ts";
import { loadDescription } from "./api/load-description.ts";
import { Files } from "./dashboard/files.tsx";
import { Jobs } from "./dashboard/jobs.tsx";
import { Keys } from "./dashboard/keys.tsx";
import { Usage } from "./dashboard/usage.tsx";
import { Webhooks } from "./dashboard/webhooks.tsx";
import { KeyButton } from "./parts/key-dialog.tsx";
import { Playground } from "./playground/playground.tsx";

/** The part of the URL after `#/`. Other fragments are anchors on the page and change nothing. */
function useRoute(): string {
  const read = () => /^#\/(.*)/.exec(location.hash)?.[1];
  const [route, setRoute] = useState(read() ?? "");
  useEffect(() => {
    const changed = () => {
      takeKeyFromAddress();
      if (location.hash === "" || location.hash.startsWith("#/")) setRoute(read() ?? "");
    };
    addEventListener("hashchange", changed);
    // It may have changed before the listener was added.
    changed();
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

function useKey(): string {
  const [key, setKey] = useState(currentKey);
  useEffect(() => onKeyChange(() => setKey(currentKey())), []);
  return key;
}

const views = ["files", "jobs", "keys", "usage", "webhooks"];

export function App() {
  const [route = "", query] = useRoute().split("?");
  const key = useKey();
  const [description, setDescription] = useState<Description>();
  const [failure, setFailure] = useState("");
  const [usage, setRemaining] = useUsage(key);
  const [workspace, setWorkspace] = useState<Workspace>(emptyWorkspace);
  useEffect(() => {
    loadDescription().then(setDescription, () => setFailure("The API description cannot be loaded."));
  }, []);
  useEffect(() => {
    markCurrentLink(route);
    scrollTo(0, 0);
    document.title = route === "" ? "Playground · PDF Service" : `${route} · PDF Service`;
  }, [route]);

  const account = document.querySelector("#account");
  return (
    <>
      {account && createPortal(<KeyButton value={key} usage={usage} />, account)}
      {failure !== "" && (
        <p class="notice" role="alert">
          {failure}{" "}
          <button type="button" class="plain" onClick={() => location.reload()}>
            Try again
          </button>
        </p>
      )}
      {description && (
        <View {...{ route, query, description, usage, setRemaining, workspace, setWorkspace }} apiKey={key} />
      )}
    </>
  );
}

interface ViewProps {
  readonly route: string;
  /** What follows a `?` in the route: files by field. */
  readonly query: string | undefined;
  readonly description: Description;
  readonly apiKey: string;
  readonly usage: AccountUsage | undefined;
  readonly setRemaining: (credits: number) => void;
  readonly workspace: Workspace;
  readonly setWorkspace: (change: (workspace: Workspace) => Workspace) => void;
}

function View(props: ViewProps) {
  const { route, description, apiKey } = props;
  if (route === "files") return <Files operations={operationsOf(description)} apiKey={apiKey} />;
  if (route === "jobs") return <Jobs apiKey={apiKey} />;
  if (route === "keys") return <Keys description={description} apiKey={apiKey} />;
  if (route === "usage") return <Usage operations={operationsOf(description)} apiKey={apiKey} />;
  if (route === "webhooks") return <Webhooks description={description} apiKey={apiKey} />;
  return <Playground operations={operationsOf(description)} {...props} />;
}

/** The links are in the page that the server sends. */
function markCurrentLink(route: string): void {
  const current = views.includes(route) ? `/#/${route}` : "/";
  for (const link of document.querySelectorAll("#links a")) {
    if (link.getAttribute("href") === current) {
      link.setAttribute("aria-current", "page");
      // On phones, the links scroll.
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else link.removeAttribute("aria-current");
  }
}
