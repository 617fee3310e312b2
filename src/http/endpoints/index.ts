import type { Endpoint } from "./define.ts";
import { files } from "./files.ts";
import { jobs } from "./jobs.ts";
import { keys } from "./keys.ts";
import { usage } from "./usage.ts";
import { deliveries } from "./webhook-deliveries.ts";
import { webhooks } from "./webhooks.ts";

/** The registry: an endpoint's route, validation and reference all derive from its entry here. */
export const endpoints: readonly Endpoint[] = [...files, ...jobs, ...keys, ...webhooks, ...deliveries, usage];
