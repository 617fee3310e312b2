/** The variables and secrets of the configuration, which are texts: the worker reads them, and `npm run serve` checks them before it starts. */
import { z } from "zod";

const flag = z.enum(["true", "false"], { error: 'must be "true" or "false"' }).default("false");

const hostNames = z
  .string()
  .regex(/^[\w.-]+(,[\w.-]+){0,99}$/, "must be host names with commas between, such as a.example.com,b.example.org")
  .transform((value) => value.toLowerCase().split(","))
  .optional();

/** `name=value` pairs with commas between, percent-encoded (opentelemetry.io/docs/specs/otel/protocol/exporter). */
const pairs = z
  .string()
  .regex(
    /^\s*[^=,\s]+=[^,]*(,\s*[^=,\s]+=[^,]*)*,?\s*$/,
    "must be pairs with commas between, such as name=value,other=value",
  )
  .transform((text, context) => {
    try {
      const parts = text.split(",").filter((pair) => pair.trim() !== "");
      return Object.fromEntries(
        parts.map((pair) => [
          decodeURIComponent(pair.slice(0, pair.indexOf("=")).trim()),
          decodeURIComponent(pair.slice(pair.indexOf("=") + 1).trim()),
        ]),
      );
    } catch {
      context.addIssue("must be percent-encoded");
      return z.NEVER;
    }
  })
  .default({});
const areHeaders = (given: Record<string, string>): boolean => {
  try {
    for (const [name, value] of Object.entries(given)) new Headers().set(name, value);
    return true;
  } catch {
    return false;
  }
};
const milliseconds = z
  .string()
  .regex(/^\d{1,6}$/, "must be a whole number of milliseconds, at most 999999")
  .transform(Number);

export const variables = {
  SERVER_SECRET: z
    .string({ error: "must be a secret: npx wrangler secret put SERVER_SECRET" })
    .min(32, "must have 32 characters at least"),
  SERVER_SECRET_PREVIOUS: z.string().min(32, "must have 32 characters at least").optional(),
  SOURCE_URL: z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).optional(),
  MEMORY_BUDGET_MIB: z
    .string({ error: 'must be a string such as "128"' })
    .regex(/^\d{1,6}$/, "must be a whole number of MiB")
    .transform(Number)
    .refine((value) => value >= 64, "must be at least 64: less is not enough for an engine and a document"),
  WEBHOOK_ALLOW_LOCAL: flag,
  FETCH_ALLOW_LOCAL: flag,
  WEBHOOK_RETRY_SECONDS: z
    .string({ error: 'must be a string such as "5,300,1800"' })
    .regex(/^\d{1,5}(,\d{1,5}){0,49}$/, "must be 1 to 50 whole numbers of seconds below 100,000, with commas between")
    .transform((value) => value.split(",").map(Number))
    .optional(),
  ISSUER_HOSTS: hostNames,
  TSA_HOSTS: hostNames,
  TSA_URL: z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).optional(),
  BROWSER_URL: z.url({ protocol: /^(https?|wss?)$/, error: "must be an http, https, ws, or wss URL" }).optional(),
  /** May have a user name and a password. */
  OFFICE_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine((value) => !/[?#]/.test(value), "must have no query or fragment")
    .transform((value) => value.replace(/\/+$/, ""))
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(
      (value) => !/[?#]/.test(value) && new URL(value).username === "",
      "must have no query, fragment, or credentials",
    )
    .transform((value) => value.replace(/\/+$/, ""))
    .optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal("http/json", "must be http/json").optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.refine(areHeaders, "must be names and values of HTTP headers"),
  OTEL_RESOURCE_ATTRIBUTES: pairs,
  OTEL_SERVICE_NAME: z.string().min(1).max(255).optional(),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds.default(1_000),
  OTEL_METRIC_EXPORT_INTERVAL: milliseconds.default(60_000),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .transform((value) => value.replace(/\/+$/, "")),
  /** `single`: one account with one key, made at the start of `npm run serve`. */
  AUTH: z.enum(["single", "accounts"], { error: 'must be "single" or "accounts"' }).default("accounts"),
  REQUESTS_PER_MINUTE: z
    .string({ error: 'must be a string such as "600"' })
    .regex(/^[1-9]\d{0,6}$/, "must be a whole number from 1 to 9999999")
    .transform(Number)
    .optional(),
};

/** Whether the service is for this machine only. */
export const isLocal = (baseUrl: string): boolean => new URL(baseUrl).hostname === "localhost";

type Together = Readonly<Record<"SERVER_SECRET" | "BASE_URL" | "WEBHOOK_ALLOW_LOCAL" | "FETCH_ALLOW_LOCAL", string>>;

/** What variables that are valid by themselves do not allow together; undefined if all is well. */
export function conflictOf(given: Together): string | undefined {
  if (isLocal(given.BASE_URL)) return undefined;
  // The one that `npm start` passes is public.
  if (given.SERVER_SECRET.startsWith("local-"))
    return "SERVER_SECRET is the one for local use. Set another: npx wrangler secret put SERVER_SECRET";
  const opened = (["WEBHOOK_ALLOW_LOCAL", "FETCH_ALLOW_LOCAL"] as const).find((name) => given[name] === "true");
  return opened && `${opened} is only for development: clients could reach this machine's own services.`;
}

/** The first problem of variables, in one line that names it and not its value; undefined if there is none. Others have their defaults. */
export function variableProblem(given: Readonly<Record<string, string>> & { readonly BASE_URL: string }) {
  for (const [name, value] of Object.entries(given)) {
    const schema: z.ZodType | undefined = variables[name as keyof typeof variables];
    const issue = schema?.safeParse(value).error?.issues[0];
    if (issue !== undefined) return `${name} ${issue.message}.`;
  }
  return conflictOf({ SERVER_SECRET: "", WEBHOOK_ALLOW_LOCAL: "", FETCH_ALLOW_LOCAL: "", ...given });
}
