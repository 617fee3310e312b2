import type { Context, MiddlewareHandler, Next } from "hono";
import { clientNetwork } from "./client-network.ts";
import { ExpiringMap } from "./expiring-map.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import { authenticate, type CreditStanding, type RateStanding } from "../../accounts/authentication.ts";
import type { Caller } from "../../accounts/caller.ts";
import { UNLIMITED } from "../../accounts/plans.ts";
import type { Scope } from "../../accounts/scopes.ts";
import { admit, type Admitted, type OpenCharge } from "../../billing/admit.ts";
import type { Reservation } from "../../billing/reservation.ts";
import { hashToken, shardOfToken } from "../../accounts/token.ts";
import { databaseAt, type Env, readEnv } from "../../env.ts";
import {
  lacksScope,
  overRate,
  tooManyInvalidKeys,
  tooManyRequests,
  unauthenticated,
} from "../errors/account-errors.ts";

/** The window of both rate limiters and of the plans' limits. */
const WINDOW_SECONDS = 60;

/**
 * Guards every route that needs a key: bearer authentication (RFC 6750, header only), one of the scopes, and the account's
 * requests per minute. Sets `caller`, `database` and `credits`.
 */
export function authorize(...scopes: readonly [Scope, ...Scope[]]): MiddlewareHandler<AppEnv>[] {
  return [identify, allow(scopes)];
}

/** What a request is known to cost before its sender is identified; undefined if that depends on more than its headers. */
export type ChargeOf = (c: Context<AppEnv>) => Omit<OpenCharge, "scopes"> | undefined;

/** Like `authorize`, and reserves what the request costs at the same time. Then it sets `reservation`, which must be used or released. */
export function authorizeCharge(
  chargeOf: ChargeOf,
  ...scopes: readonly [Scope, ...Scope[]]
): MiddlewareHandler<AppEnv>[] {
  return [
    (c, next) => {
      const charge = chargeOf(c);
      return identifyFor(c, next, charge && { ...charge, scopes });
    },
    allow(scopes),
  ];
}

/** The sender of a request, and its remaining rights. */
export interface Identity {
  readonly database: Env["databases"][number];
  readonly caller: Caller;
  readonly rate: RateStanding;
  readonly credits: CreditStanding;
}

interface IdentityWithCredits extends Identity {
  readonly reservation?: Reservation | undefined;
}

/** A request that the service makes to itself on behalf of a request that it has identified: it is not counted again. */
export class InnerRequest extends Request {
  readonly identity: Identity;

  constructor(identity: Identity, url: string, init: RequestInit) {
    super(url, init);
    this.identity = identity;
  }
}

/** Identifies the sender by the API key and counts the request. */
export const identify: MiddlewareHandler<AppEnv> = (c, next) => identifyFor(c, next, undefined);

async function identifyFor(c: Context<AppEnv>, next: Next, charge: OpenCharge | undefined): Promise<void> {
  const { raw } = c.req;
  const { database, caller, rate, credits, reservation }: IdentityWithCredits =
    raw instanceof InnerRequest ? raw.identity : await identityOf(readEnv(c.env), raw.headers, charge);
  const log = c.get("log");
  log.key = caller.key;
  log.account = caller.account;
  c.set("caller", caller);
  c.set("database", database);
  c.set("rate", rate);
  c.set("credits", credits);
  c.set("reservation", reservation);
  await next();
  if (rate.limit === UNLIMITED) return;
  // On every response from here on, including errors. draft-ietf-httpapi-ratelimit-headers-10.
  c.header("RateLimit-Policy", `"default";q=${rate.limit};w=${WINDOW_SECONDS}`);
  c.header("RateLimit", `"default";r=${rate.remaining};t=${rate.resetSeconds}`);
}

function allow(scopes: readonly [Scope, ...Scope[]]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    checkScope(c.get("caller"), ...scopes);
    checkRate(c);
    await next();
  };
}

/** Throws `rate_limit_exceeded` if the account has used up its minute. */
export function checkRate(c: Context<AppEnv>): void {
  const { plan } = c.get("caller");
  const rate = c.get("rate");
  if (!rate.exceeded) return;
  throw overRate(plan, rate.limit, rate.resetSeconds);
}

/**
 * Identifies the sender of a request, counts it, and reserves its `charge` if it is not to be rejected. Throws 401, or 429 if a rate limiter stops it
 * before the database.
 */
export async function identityOf(env: Env, headers: Headers, charge?: OpenCharge): Promise<IdentityWithCredits> {
  const token = /^Bearer +([^\s]+) *$/i.exec(headers.get("Authorization") ?? "")?.[1];
  if (token === undefined) throw unauthenticated("missing");
  const shard = shardOfToken(token);
  // A made-up key costs no query, so it is not counted.
  if (shard === undefined || shard >= env.databases.length) throw unauthenticated("bad");
  const network = clientNetwork(headers);
  if (badSenders.get(network) === true) throw tooManyInvalidKeys(WINDOW_SECONDS);
  const hash = await hashToken(token);
  if (!(await env.keyShield.limit({ key: hash })).success) throw tooManyRequests(WINDOW_SECONDS);
  const database = databaseAt(env, shard);
  const known = exceeded.get(hash);
  if (known !== undefined) {
    const rate = { ...known.rate, resetSeconds: Math.max(1, Math.ceil((known.until - Date.now()) / 1_000)) };
    return { database, caller: known.caller, credits: known.credits, rate };
  }
  const now = new Date();
  const { requestsPerMinute } = env;
  const result: Admitted = await (charge === undefined
    ? authenticate(database, hash, now, requestsPerMinute)
    : admit(database, hash, charge, now, requestsPerMinute));
  if (result.ok) {
    const { caller, credits, rate, reservation } = result;
    const milliseconds = rate.resetSeconds * 1_000;
    if (rate.exceeded) exceeded.set(hash, { caller, credits, rate, until: Date.now() + milliseconds }, milliseconds);
    return { database, caller, credits, rate, reservation };
  }
  const isOften = !(await env.addressShield.limit({ key: network })).success;
  if (isOften) badSenders.set(network, true, WINDOW_SECONDS * 1_000);
  throw unauthenticated(result.reason);
}

/** Networks over the limit for bad keys. The rate limiter counts every check, so its verdict is cached here. */
const badSenders = new ExpiringMap<true>(1_000);

interface Exceeded {
  readonly caller: Caller;
  readonly credits: CreditStanding;
  readonly rate: RateStanding;
  /** The end of the account's minute. */
  readonly until: number;
}

/** Hashes of keys whose account has used up its minute: until the next one, their requests are rejected without a query. */
const exceeded = new ExpiringMap<Exceeded>(1_000);

/** Throws `forbidden` unless the caller has one of the scopes. */
export function checkScope(caller: Caller, ...scopes: readonly [Scope, ...Scope[]]): void {
  if (scopes.some((scope) => caller.scopes.includes(scope))) return;
  throw lacksScope(scopes);
}
