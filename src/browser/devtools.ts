/**
 * A client of the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/) over one WebSocket, with flattened sessions.
 */

/** What the client needs of a WebSocket: those of workerd and of Node have it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close" | "error", listener: () => void): void;
}

/** An event of the browser, or of one of its sessions. */
export interface DevToolsEvent {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly sessionId: string | undefined;
}

/** A command that the browser rejected. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** The browser is gone, or does not respond. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

interface Pending {
  readonly method: string;
  resolve(result: never): void;
  reject(error: Error): void;
}

/** How long the browser may be silent before it is asked for a sign of life, and then until it counts as hanging, in ms. */
const SILENCE = 2_000;
const PATIENCE = 8_000;

export class DevTools {
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(event: DevToolsEvent) => void>();
  readonly #ended = Promise.withResolvers<never>();
  readonly #watch: ReturnType<typeof setInterval>;
  #lost: ConnectionLost | undefined;
  #next = 1;
  #heardAt = Date.now();
  #askedAt: number | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Not everybody waits for it.
    this.ended.catch(() => undefined);
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("close", () => this.#end("the browser closed the connection"));
    socket.addEventListener("error", () => this.#end("the connection to the browser failed"));
    this.#watch = setInterval(() => this.#look(), SILENCE / 4);
  }

  /** Rejects with a ConnectionLost. */
  get ended(): Promise<never> {
    return this.#ended.promise;
  }

  /**
   * Sends a command, to a session if one is named.
   * @throws CommandError, ConnectionLost
   */
  send<T = Readonly<Record<string, unknown>>>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const id = this.#next;
    this.#next += 1;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#pending.set(id, { method, resolve: resolve as Pending["resolve"], reject });
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    return promise;
  }

  /** Calls `listener` for each event. */
  listen(listener: (event: DevToolsEvent) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#end("the connection was closed");
    this.#socket.close();
  }

  /** A browser that is stopped keeps its connection open, so it is asked for its version after a silence. */
  #look(): void {
    const now = Date.now();
    if (this.#askedAt !== undefined && now - this.#askedAt > PATIENCE) {
      this.#end(`the browser has not responded for ${PATIENCE} ms`);
      this.#socket.close();
      return;
    }
    if (this.#askedAt !== undefined || now - this.#heardAt < SILENCE) return;
    this.#askedAt = now;
    this.send("Browser.getVersion").catch(() => undefined);
  }

  #receive(data: unknown): void {
    this.#heardAt = Date.now();
    this.#askedAt = undefined;
    const text = typeof data === "string" ? data : new TextDecoder().decode(data as ArrayBuffer);
    const message = JSON.parse(text) as {
      readonly id?: number;
      readonly result?: never;
      readonly error?: { readonly message: string };
      readonly method?: string;
      readonly params?: DevToolsEvent["params"];
      readonly sessionId?: string;
    };
    if (message.id === undefined) {
      const { method = "", params = {}, sessionId } = message;
      for (const listener of this.#listeners) listener({ method, params, sessionId });
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error === undefined) pending?.resolve(message.result as never);
    else pending?.reject(new CommandError(`${pending.method}: ${message.error.message}`));
  }

  #end(reason: string): void {
    if (this.#lost !== undefined) return;
    clearInterval(this.#watch);
    this.#lost = new ConnectionLost(reason);
    for (const { reject } of this.#pending.values()) reject(this.#lost);
    this.#pending.clear();
    this.#ended.reject(this.#lost);
  }
}
