import { FormReader } from "../form/form-reader.ts";
import type { FormPart } from "../multipart/multipart.ts";
import type { EngineBytes } from "../../engines/memory/heap.ts";
import { limits } from "../../limits.ts";
import type { Operation } from "../../operations/definition/define.ts";
import { type FieldIssue, text } from "../../operations/definition/fields.ts";
import { formChoice, formInteger, formText } from "../../operations/definition/values.ts";

const { shortestSeconds, longestSeconds, defaultSeconds } = limits.storage;

/** Fields that apply to jobs only. */
export const jobFields = {
  expiresIn: text(
    formInteger(shortestSeconds, longestSeconds),
    "Only for jobs: how many seconds the result is kept once the job has ended.",
    { label: "Keep a job's result for (seconds)", default: defaultSeconds },
  ),
  deliverTo: text(
    formText(limits.parameters.urlCharacters),
    "Only for jobs: an HTTPS URL to which the result is sent with PUT once the job has ended, such as a presigned URL of a bucket. The service tries up to three times. The result stays available here, too.",
    { label: "Send a job's result to (URL)", brief: "URL that gets the result of a job with PUT." },
  ),
  onPageError: text(
    formChoice("fail", "continue"),
    "Only for jobs of operations that work page by page. `fail`: the job fails with the first page that fails. `continue`: the result is made without the pages that fail, and the job is `partial`.",
    { label: "If a page of a job fails", default: "fail" },
  ),
};

/** The fields that a job of the operation has in addition. */
export function jobFieldsOf({ pageByPage }: Pick<Operation, "pageByPage">) {
  const { onPageError, ...ofAll } = jobFields;
  return pageByPage === undefined ? ofAll : { ...ofAll, onPageError };
}

type Parts = readonly FormPart<EngineBytes>[];

export interface JobOptions {
  readonly keptSeconds: number;
  readonly onPageError: "fail" | "continue";
  /** The URL to which the result is sent. */
  readonly deliverTo: string | undefined;
}

/** What a request prefers (RFC 7240). */
export interface Preference {
  /** Whether the work may continue after the response. */
  readonly isAsync: boolean;
  /** How long the response may be held back for its end, in seconds. */
  readonly waitSeconds: number;
}

/** Reads `Prefer`. As RFC 7240 requires, unknown or malformed preferences are ignored, and the first of a kind counts. */
export function preferenceOf(header: string | undefined): Preference {
  const named = new Map<string, string>();
  for (const preference of (header ?? "").split(",")) {
    const [, name = "", value = ""] = /^\s*([\w-]+)\s*(?:=\s*"?([^";]*)"?)?\s*(?:;.*)?$/.exec(preference) ?? [];
    const key = name.toLowerCase();
    if (!named.has(key)) named.set(key, value.trim());
  }
  const wait = named.get("wait") ?? "";
  return {
    isAsync: named.has("respond-async"),
    waitSeconds: /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), limits.jobs.waitSeconds) : 0,
  };
}

/** Takes the fields of jobs out of a form. They have no effect on a request that does not ask for a job. */
export function takeJobOptions(
  parts: Parts,
  isAsync: boolean,
  { pageByPage }: Pick<Operation, "pageByPage">,
  urlIssue: (url: string) => string | undefined,
): {
  readonly rest: Parts;
  readonly options: JobOptions;
  readonly issues: readonly FieldIssue[];
  readonly ignored: readonly string[];
} {
  const rest = parts.filter(({ field }) => !Object.hasOwn(jobFields, field));
  const own = parts.filter((part) => !rest.includes(part));
  const reader = new FormReader(
    own.map((part) => [part.field, part]),
    { urlIssue: () => undefined },
  );
  const kept = reader.read("expiresIn", jobFields.expiresIn);
  const onError = reader.read("onPageError", jobFields.onPageError);
  const deliver = reader.read("deliverTo", jobFields.deliverTo);
  const deliverTo = typeof deliver.value === "string" ? deliver.value : undefined;
  const issue = deliverTo === undefined ? undefined : urlIssue(deliverTo);
  const issues = [
    ...kept.issues,
    ...onError.issues,
    ...deliver.issues,
    ...(issue === undefined ? [] : [{ name: "deliverTo", issue }]),
  ];
  const ignored = [
    ...(kept.given && !isAsync ? ["expiresIn"] : []),
    ...(deliver.given && !isAsync ? ["deliverTo"] : []),
    ...(onError.given && !(isAsync && pageByPage !== undefined) ? ["onPageError"] : []),
  ];
  const options = {
    keptSeconds: typeof kept.value === "number" ? kept.value : defaultSeconds,
    onPageError: onError.value === "continue" ? "continue" : "fail",
    deliverTo,
  } as const;
  return { rest, options, issues, ignored };
}
