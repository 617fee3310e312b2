import type { Endpoint } from "./define.ts";
import { keys } from "./keys.ts";
import { usage } from "./usage.ts";

/** The registry: route, validation and reference of an endpoint all follow from its entry here. */
export const endpoints: readonly Endpoint[] = [...keys, usage];
