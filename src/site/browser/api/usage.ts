import { useEffect, useState } from "preact/hooks";
import { callJson } from "./call.ts";

/** What an account may use and has used. */
export interface Usage {
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  readonly plan: string;
  /** Null if the plan has no limit, like `remaining`. */
  readonly limit: number | null;
  readonly used: number;
  readonly remaining: number | null;
  readonly perOperation: Readonly<Record<string, number>>;
  readonly months: readonly { readonly start: string; readonly used: number }[];
  readonly limits: { readonly requestBytes: number; readonly fileBytes: number };
}

export const USAGE = "/api/v1/usage";

/** The usage of a key's account; undefined while it is loading, or if the key lacks the scope. */
export function useUsage(apiKey: string): readonly [Usage | undefined, (remaining: number) => void] {
  const [usage, setUsage] = useState<Usage>();
  useEffect(() => {
    let isCurrent = true;
    setUsage(undefined);
    if (apiKey === "") return undefined;
    callJson<Usage>(apiKey, "GET", USAGE).then(
      (usage) => isCurrent && setUsage(usage),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [apiKey]);
  const setRemaining = (remaining: number): void => setUsage((usage) => usage && { ...usage, remaining });
  return [usage, setRemaining];
}
