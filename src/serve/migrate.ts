/**
 * Prepares the data of `npm run serve` for a start: brings the databases up to date, checks that SERVER_SECRET is that of the data, and makes the
 * account of a server that has one. The arguments are the folder of the bundle, that of the data, and `--new-secret` to take another secret. Ends
 * with `REFUSED` after one line with the reason.
 *
 * A process of its own: Miniflare's databases wait for workerd in a way that stops Node, and with it the server's signals and watchdog.
 */
import { join } from "node:path";
import { type Databases, withDatabasesIn } from "./databases.ts";
import { REFUSED } from "./bundle.ts";
import { keptText } from "./kept-text.ts";
import { claimData, forceClaim } from "../accounts/server-secret.ts";
import { newToken, shardOfToken } from "../accounts/token.ts";
import { ensureSingleTenant } from "../keys/single-tenant.ts";

const [app = "", data = "", option] = process.argv.slice(2);
const { SERVER_SECRET: secret = "", SERVER_SECRET_PREVIOUS: previous, AUTH, API_KEY } = process.env;

function refuse(message: string): void {
  console.error(message);
  process.exitCode = REFUSED;
}

async function prepare(databases: Databases): Promise<void> {
  const [first] = databases;
  if (option === "--new-secret") await forceClaim(first, secret);
  else if (!(await claimData(databases, previous ? [secret, previous] : [secret])))
    return refuse(
      `SERVER_SECRET is not the one that encrypted the data in ${data}. Set that one, or restore the file server-secret there if it had been made; to replace it, also set it as SERVER_SECRET_PREVIOUS; if it is lost, start once with --new-secret, which gives up stored files and the secrets of webhooks.`,
    );
  if (AUTH !== "single") return;
  const token = API_KEY || (await keptKey());
  if (token !== undefined) await ensureSingleTenant(first, token, new Date());
}

/** The key in the data folder, made at the first start. Undefined if the file has something else. */
async function keptKey(): Promise<string | undefined> {
  const file = join(data, "api-key");
  const { text: key, isMade } = await keptText(file, () => newToken(true, 0));
  if (isMade) console.log(JSON.stringify({ level: "info", message: "API key made, shown only now", key, file }));
  if (shardOfToken(key) === 0) return key;
  refuse(`${file} does not contain an API key. Delete it to get a new one, or set API_KEY.`);
  return undefined;
}

await withDatabasesIn({ app, data }, prepare);
