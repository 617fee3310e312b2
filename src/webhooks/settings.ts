import type { EndpointPolicy } from "./endpoint-url.ts";

/** What the configuration says of webhooks. */
export interface WebhookSettings {
  /** What signing secrets are encrypted under in the database is derived from it. */
  readonly serverSecret: string;
  readonly endpoints: EndpointPolicy;
  /** Seconds from a failed attempt to the next. */
  readonly retrySeconds: readonly number[];
}
