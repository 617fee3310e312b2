import type { Endpoint } from "./define.ts";
import { keys } from "./keys.ts";
import { usage } from "./usage.ts";
import { deliveries } from "./webhook-deliveries.ts";
import { webhooks } from "./webhooks.ts";

/** The registry: route, validation and reference of an endpoint all follow from its entry here. */
export const endpoints: readonly Endpoint[] = [...keys, ...webhooks, ...deliveries, usage];
