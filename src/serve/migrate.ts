/**
 * Brings the databases of `npm run serve` up to date. The arguments are the folder of the bundle and that of the data.
 *
 * A process of its own: Miniflare's databases wait for workerd in a way that stops Node, and with it the server's signals and watchdog.
 */
import { withDatabasesIn } from "./databases.ts";

const [app = "", data = ""] = process.argv.slice(2);
await withDatabasesIn({ app, data }, async () => undefined);
