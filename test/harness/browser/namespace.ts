/** A Chromium in a network namespace of its own, whose counters see every packet that it sends. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { BrowserPlace } from "../../../src/browser/connect.ts";
import type { Socket } from "../../../src/browser/devtools.ts";

/** An address that a packet could be sent to in the namespace, and where nobody is. */
export const ELSEWHERE = "10.99.0.2";

/** Loopback, and a network with a default route whose packets go nowhere. IPv6 of the network would announce itself. */
const NETWORK = `
ip link set lo up
ip link add outside type veth peer name nowhere
ip link set outside addrgenmode none
ip link set nowhere addrgenmode none
ip address add 10.99.0.1/24 dev outside
ip link set outside up
ip link set nowhere up
ip neighbor add ${ELSEWHERE} lladdr 02:00:00:00:00:02 dev outside
ip route add default via ${ELSEWHERE}
`;

/** Whether namespaces can be made here, which needs root and the tools. */
export const hasNamespaces = (): boolean =>
  spawnSync("unshare", ["--net", "sh", "-ec", `${NETWORK}`], { stdio: "ignore" }).status === 0;

export class IsolatedBrowser {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #messages = new Set<(event: { readonly data: unknown }) => void>();
  readonly #ends = new Set<() => void>();

  private constructor(process: ChildProcess, profile: string) {
    this.#process = process;
    this.#profile = profile;
    let received = "";
    const output = process.stdio[4] as Readable;
    output.setEncoding("utf8").on("data", (text: string) => {
      const messages = (received + text).split("\0");
      received = messages.pop() ?? "";
      for (const data of messages) for (const listener of this.#messages) listener({ data });
    });
    process.once("exit", () => {
      for (const listener of this.#ends) listener();
    });
  }

  static async start(program: string, flags: readonly string[] = []): Promise<IsolatedBrowser> {
    const profile = await mkdtemp(join(tmpdir(), "isolated-"));
    const command = `${NETWORK}\nexec "$@"`;
    const own = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--remote-debugging-pipe",
      `--user-data-dir=${profile}`,
    ];
    const process = spawn("unshare", ["--net", "sh", "-ec", command, "sh", program, ...own, ...flags, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      detached: true,
    });
    return new IsolatedBrowser(process, profile);
  }

  /** Its debugging pipe, as a WebSocket. */
  socket(): Socket {
    const input = this.#process.stdio[3] as Writable;
    const mine: ((event: { readonly data: unknown }) => void)[] = [];
    return {
      send: (text) => void input.write(`${text}\0`),
      close: () => mine.forEach((listener) => this.#messages.delete(listener)),
      addEventListener: (type, listener) => {
        if (type === "message") {
          mine.push(listener);
          this.#messages.add(listener);
        } else this.#ends.add(listener as () => void);
      },
    };
  }

  get place(): BrowserPlace {
    const fetch = async () => ({ webSocket: Object.assign(this.socket(), { accept: () => undefined }) });
    return { kind: "url", url: "ws://pipe", fetch: fetch as never };
  }

  /** Packets that were sent in the namespace so far: IP, ICMP, UDP, and what left by each interface. */
  async packets(): Promise<Readonly<Record<string, number>>> {
    const read = (file: string): Promise<string> => readFile(`/proc/${this.#process.pid}/net/${file}`, "utf8");
    const [dev, snmp, snmp6] = await Promise.all([read("dev"), read("snmp"), read("snmp6")]);
    const sent = (name: string): number => Number(new RegExp(`${name}:(?:\\s*\\d+){9}\\s*(\\d+)`).exec(dev)?.[1]);
    const [names = "", values = ""] = snmp.split("\n").filter((line) => line.startsWith("Ip:"));
    const at = names.split(" ").indexOf("OutRequests");
    return {
      loopback: sent("lo"),
      outside: sent("outside"),
      ip: Number(values.split(" ")[at]),
      ipv6: Number(/^Ip6OutRequests\s+(\d+)/m.exec(snmp6)?.[1]),
    };
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    process.kill(-(this.#process.pid ?? 0), "SIGKILL");
    await ended;
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
