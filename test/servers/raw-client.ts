/** A connection whose every byte is chosen. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawResponse {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

export class RawClient {
  readonly socket: Socket;
  #received = "";
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
    const end = (): void => {
      this.#isEnded = true;
      this.#wake();
    };
    this.socket.on("error", end).on("end", end).on("close", end);
  }

  /** Resolves when the system has the bytes (Latin-1). */
  async send(bytes: string): Promise<void> {
    await new Promise<void>((done) => this.socket.write(Buffer.from(bytes, "latin1"), () => done()));
  }

  async #until<T>(read: () => T | undefined): Promise<T | undefined> {
    for (;;) {
      const value = read();
      if (value !== undefined || this.#isEnded) return value;
      await new Promise<void>((done) => {
        this.#wake = done;
      });
    }
  }

  /** The next response, also an interim one; undefined if the connection ends before it is whole. Its length must be said. */
  async response({ isHead = false } = {}): Promise<RawResponse | undefined> {
    return this.#until(() => {
      const end = this.#received.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const head = this.#received.slice(0, end);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
      const length = isHead || status < 200 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
      if (!(this.#received.length >= end + 4 + length)) return undefined;
      const body = this.#received.slice(end + 4, end + 4 + length);
      this.#received = this.#received.slice(end + 4 + length);
      return { status, head, body };
    });
  }

  /** Waits until the server has ended the connection. Returns what it sent beyond the responses that were read. */
  async ended(): Promise<string> {
    await this.#until(() => undefined);
    return this.#received;
  }

  async close(): Promise<void> {
    if (this.socket.closed) return;
    this.socket.destroy();
    await once(this.socket, "close");
  }
}
