/** Miniflare on the data of a folder, as `npm run serve` and `npm run account` use it. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import type * as MiniflareModule from "miniflare";
import type { Miniflare, V4SharedOptions, V4WorkerOptions } from "miniflare";
import { STORED } from "./data-folder.ts";

/** With `import`, Node keeps the 11 MB of its source twice. */
export const miniflareModule = createRequire(import.meta.url)("miniflare") as typeof MiniflareModule;

/** Where systems keep the root certificates that they trust. */
const ROOTS = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/** Signals at which Miniflare would end the process at once, in the middle of requests. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Sets what Miniflare and workerd take from the environment. */
async function prepareEnvironment(data: string): Promise<void> {
  // Nothing is written beside the data, so that a container needs no other place.
  const temporary = join(data, "tmp");
  await mkdir(temporary, { recursive: true });
  process.env["TMPDIR"] = temporary;
  if (process.platform !== "linux" || process.env["SSL_CERT_FILE"] !== undefined || ROOTS.some(existsSync)) return;
  // workerd does not start where the system has no root certificates, as in small images: it gets those of Node.
  const roots = join(temporary, "roots.pem");
  await writeFile(roots, rootCertificates.join("\n"));
  process.env["SSL_CERT_FILE"] = roots;
}

/** Opens it: nothing of it listens but what the workers ask for, it asks nobody about this machine, and it leaves signals to the program. */
export async function openMiniflare(
  data: string,
  workers: V4WorkerOptions[],
  options: V4SharedOptions = {},
): Promise<Miniflare> {
  await prepareEnvironment(data);
  const others = new Map(SIGNALS.map((signal) => [signal, new Set(process.listeners(signal))]));
  const miniflare = new miniflareModule.Miniflare(
    miniflareModule.convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      unsafeTriggerHandlers: false,
      unsafeLocalExplorer: false,
      // As `npm start` does.
      resourcePersistencePath: join(data, STORED),
      ...options,
      workers,
    }),
  );
  for (const [signal, known] of others)
    for (const listener of process.listeners(signal))
      if (!known.has(listener)) process.removeListener(signal, listener);
  return miniflare;
}
