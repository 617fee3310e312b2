import { day, month, number } from "../parts/figures.ts";
import { Failure, KeyMissing } from "./failure.tsx";
import type { Operation } from "../../description/description.ts";
import { USAGE, type Usage as UsageSummary } from "../api/usage.ts";
import { useData } from "./use-data.ts";

interface Props {
  readonly operations: readonly Operation[];
  readonly apiKey: string;
}

export function Usage({ operations, apiKey }: Props) {
  const { data, error, reload } = useData<UsageSummary>(apiKey, USAGE);
  if (apiKey === "") return <KeyMissing what="credits" />;
  return (
    <div class="dashboard">
      <header class="row">
        <div class="grow">
          <h1>Usage</h1>
          {data && (
            <p class="quiet">
              {data.plan.charAt(0).toUpperCase() + data.plan.slice(1)} plan,{" "}
              {apiKey.startsWith("sk_live") ? "live" : "test"} keys. {day(data.currentPeriodStart)} to{" "}
              {day(new Date(Date.parse(data.currentPeriodEnd) - 1).toISOString())} (UTC)
            </p>
          )}
        </div>
        <button type="button" onClick={() => void reload()}>
          Refresh
        </button>
      </header>
      <Failure error={error} />
      {data && <Summary data={data} />}
      {/* Not before the figures, which would move them down. */}
      {(data ?? error) !== undefined && <Prices operations={operations} />}
    </div>
  );
}

/** Each operation once, by its price. */
function Prices({ operations }: { operations: readonly Operation[] }) {
  const prices = [...new Set(operations.flatMap(({ credits }) => credits ?? []))].toSorted((a, b) => a - b);
  return (
    <section class="card padded" aria-labelledby="prices">
      <h2 id="prices">Prices</h2>
      <dl class="prices">
        {prices.map((price) => (
          <div key={price}>
            <dt>{price === 1 ? "1 credit" : `${number(price)} credits`}</dt>
            <dd>
              {operations
                .filter(({ credits }) => credits === price)
                .map(({ name }) => name)
                .join(", ")}
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        Only success is charged. <a href="/docs/credits">More about credits</a>
      </p>
    </section>
  );
}

function Summary({ data }: { data: UsageSummary }) {
  const operations = Object.entries(data.perOperation)
    .filter(([, credits]) => credits > 0)
    .toSorted(([, a], [, b]) => b - a);
  return (
    <>
      <section class="card padded" aria-label="Credits">
        <dl class="figures">
          {Object.entries({ Used: data.used, Remaining: data.remaining, "Per month": data.limit }).map(
            ([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value === null ? "Unlimited" : number(value)}</dd>
              </div>
            ),
          )}
        </dl>
        {data.limit !== null && <Level used={data.used} limit={data.limit} end={data.currentPeriodEnd} />}
      </section>
      <section class="card padded" aria-labelledby="by-month">
        <h2 id="by-month">Credits by month</h2>
        {data.months.length === 0 ? (
          <p class="quiet">No credits used yet.</p>
        ) : (
          <Chart label="Credits by month" bars={data.months.map(({ start, used }) => [month(start), used])} />
        )}
      </section>
      <section class="card padded" aria-labelledby="by-operation">
        <h2 id="by-operation">Credits by operation</h2>
        {operations.length === 0 ? (
          <p class="quiet">No credits used this month.</p>
        ) : (
          <Chart label="Credits by operation" bars={operations} />
        )}
      </section>
    </>
  );
}

/** How much of the month's credits is used. */
function Level({ used, limit, end }: { used: number; limit: number; end: string }) {
  return (
    <>
      <progress
        class={used >= limit ? "full" : used >= 0.8 * limit ? "nearly-full" : ""}
        aria-label={`${number(used)} of ${number(limit)} credits used`}
        max={limit}
        value={used}
      />
      {used >= limit && <p class="issue">All credits of this month are used. Requests fail until {day(end)} (UTC).</p>}
    </>
  );
}

/** Horizontal bars. */
function Chart({ label, bars }: { label: string; bars: readonly (readonly [string, number])[] }) {
  const most = Math.max(1, ...bars.map(([, value]) => value));
  return (
    <ul class="chart" aria-label={label}>
      {bars.map(([name, value]) => (
        <li key={name} aria-label={`${name}: ${number(value)}`}>
          <span class="chart-name">{name}</span>
          <span class="chart-bar">
            <span style={{ width: `${(value / most) * 100}%` }} />
            <b>{number(value)}</b>
          </span>
        </li>
      ))}
    </ul>
  );
}
