/** The ways to a browser: one at a URL, as a Chromium beside the service, and the Browser binding of Cloudflare. */
import { ConnectionLost, DevTools, type Socket } from "./devtools.ts";

/** Sends a request. With the header `Upgrade`, the response has a WebSocket. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Where the browser is. `find` returns the URL of its WebSocket, or fails while there is none. */
export type BrowserPlace =
  | { readonly kind: "url"; readonly url: string; readonly fetch: Fetch; readonly find?: Fetch }
  | { readonly kind: "binding"; readonly fetch: Fetch };

/** How long connecting may take, and the pause between two attempts, in ms. */
const [CONNECTING, PAUSE] = [10_000, 100];

/** @throws ConnectionLost if there is no browser */
export async function connect(place: BrowserPlace): Promise<DevTools> {
  // Not `AbortSignal.timeout`: it would close the WebSocket, too, however long that has been open.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), CONNECTING);
  const { signal } = late;
  try {
    return new DevTools(place.kind === "url" ? await atUrl(place, signal) : await byBinding(place.fetch, signal));
  } catch (cause) {
    throw new ConnectionLost("the browser cannot be reached", { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** `url`: that of a WebSocket, or of the server that names it at `/json/version`. */
async function atUrl(place: Extract<BrowserPlace, { kind: "url" }>, signal: AbortSignal): Promise<Socket> {
  if (/^wss?:/i.test(place.url)) return webSocket(place.fetch, place.url, signal);
  for (;;) {
    try {
      return await atNamed(place, signal);
    } catch (error) {
      // One that `find` has named may have died since. Another takes its place.
      if (place.find === undefined || signal.aborted) throw error;
      await new Promise((resolve) => void setTimeout(resolve, PAUSE));
    }
  }
}

async function atNamed(
  { url, fetch, find = fetch }: Extract<BrowserPlace, { kind: "url" }>,
  signal: AbortSignal,
): Promise<Socket> {
  const response = await find(new URL("/json/version", url).href, { signal });
  const { webSocketDebuggerUrl } = await jsonOf<{ readonly webSocketDebuggerUrl: string }>(response);
  // Behind a proxy, or in another container, the browser does not know its own address.
  const socket = new URL(webSocketDebuggerUrl);
  const { protocol, host } = new URL(url);
  if (find === fetch) socket.host = host;
  socket.protocol = protocol === "https:" ? "wss:" : "ws:";
  return webSocket(fetch, socket.href, signal);
}

interface BoundSession {
  readonly sessionId: string;
  /** Of the worker that uses it. */
  readonly connectionId?: string;
}

/** How long a browser waits for the next document before Cloudflare ends it, in ms. */
const KEPT = 60_000;

/** As `@cloudflare/puppeteer` 1.4.0 does: the host is ignored. A browser that waits is used again. */
async function byBinding(fetch: Fetch, signal: AbortSignal): Promise<Socket> {
  const host = "https://browser";
  const { sessions } = await jsonOf<{ readonly sessions: readonly BoundSession[] }>(
    await fetch(`${host}/v1/sessions`, { signal }),
  );
  const waiting = sessions.filter(({ connectionId }) => connectionId === undefined);
  for (const { sessionId } of waiting) {
    try {
      return await webSocket(fetch, `${host}/v1/devtools/browser/${sessionId}`, signal);
    } catch {
      // Another request was faster, or it has ended.
    }
  }
  const acquired = await fetch(`${host}/v1/devtools/browser?keep_alive=${KEPT}`, { method: "POST", signal });
  const { sessionId } = await jsonOf<BoundSession>(acquired);
  return webSocket(fetch, `${host}/v1/devtools/browser/${sessionId}`, signal);
}

async function jsonOf<T>(response: Response): Promise<T> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it responded with ${response.status}`);
  }
  return (await response.json()) as T;
}

async function webSocket(fetch: Fetch, url: string, signal: AbortSignal): Promise<Socket> {
  const response = await fetch(url.replace(/^ws/i, "http"), { headers: { Upgrade: "websocket" }, signal });
  const socket = (response as { readonly webSocket?: (Socket & { accept(): void }) | null }).webSocket;
  if (!socket) {
    await response.body?.cancel();
    throw new Error(`it responded with ${response.status} instead of a WebSocket`);
  }
  socket.accept();
  return socket;
}
