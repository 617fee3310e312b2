import { z } from "zod";
import { type Call, defineEndpoint, resultResponse as anyResult } from "./define.ts";
import { resultResponse } from "../operations/send-result.ts";
import { jobSchema, jobStatuses } from "../../events/job-schema.ts";
import { type JobContext, jobRow } from "../../jobs/job.ts";
import { awaitJob, cancelJob, deleteJob, jobView, listJobs } from "../../jobs/manage-jobs.ts";
import { readEnv } from "../../env.ts";
import { limits } from "../../limits.ts";
import { formInteger, formText } from "../../operations/definition/values.ts";

const ANY = ["pdf:read", "pdf:write"] as const;

const contextOf = ({ context, files, enqueue }: Call<string, unknown, unknown>): JobContext => ({
  store: files,
  baseUrl: readEnv(context.env).baseUrl,
  enqueue,
});

const list = defineEndpoint({
  name: "listJobs",
  tag: "Jobs",
  method: "GET",
  path: "/jobs",
  summary: "List jobs",
  description:
    "Returns the jobs of your account in the mode of the API key you use, newest first. To get the next page, send `nextCursor` as `cursor`. Costs no credits.",
  scope: "pdf:read",
  status: 200,
  query: z.object({
    status: z
      .enum(jobStatuses, { error: `must be one of ${jobStatuses.join(", ")}` })
      .optional()
      .describe("Only jobs with this status."),
    limit: formInteger(1, limits.jobs.page).describe(`The number of jobs per page. Default: \`${limits.jobs.page}\`.`),
    cursor: formText(200).describe("The `nextCursor` of the previous page."),
  }),
  response: z.object({
    data: z.array(jobSchema),
    count: z.int().min(0).describe("The number of jobs in this mode, or of those with the `status`."),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().describe("Null on the last page."),
  }),
  errors: [],
  async handle(call) {
    const { limit = limits.jobs.page, cursor, status } = call.query;
    const { data, ...page } = await listJobs(
      call.db,
      contextOf(call),
      call.caller,
      { limit, cursor, status },
      call.now,
    );
    return { ...page, data: [...data] };
  },
});

const fetchOne = defineEndpoint({
  name: "getJob",
  tag: "Jobs",
  method: "GET",
  path: "/jobs/{id}",
  summary: "Get a job",
  description:
    "Returns the state of a job. With `wait`, the response comes when the job ends, or after that many seconds. Costs no credits.",
  scope: ANY,
  status: 200,
  query: z.object({
    wait: formInteger(0, limits.jobs.waitSeconds).describe(
      "How many seconds to wait for the end of the job. Default: `0`.",
    ),
  }),
  response: jobSchema,
  errors: [],
  async handle(call) {
    const { db, caller, params, query } = call;
    const row = await awaitJob(db, caller, params.id, (query.wait ?? 0) * 1_000);
    return jobView(db, contextOf(call), row, new Date());
  },
});

const result = defineEndpoint({
  name: "getJobResult",
  tag: "Jobs",
  method: "GET",
  path: "/jobs/{id}/result",
  summary: "Download the result of a job",
  description:
    "Returns what the operation returns in an ordinary request: the same bytes and headers, or the error of a job that failed. A `Range` header with a single range gets a part of it, and `If-None-Match` and `If-Range` take its `ETag`. Costs no credits.",
  scope: ANY,
  status: 200,
  response: anyResult,
  errors: ["not_ready", "expired", "range_not_satisfiable"],
  async handle(call) {
    const row = await jobRow(call.db, call.caller, call.params.id);
    return resultResponse(call.context, contextOf(call), row);
  },
});

const cancel = defineEndpoint({
  name: "cancelJob",
  tag: "Jobs",
  method: "POST",
  path: "/jobs/{id}/cancel",
  summary: "Cancel a job",
  description:
    "Ends a job. It is charged for the pages that are done, in the same blocks as any job, and has no result. A job that has ended stays as it is. Costs no credits.",
  scope: ANY,
  status: 202,
  response: jobSchema,
  errors: [],
  async handle(call) {
    return cancelJob(call.db, contextOf(call), call.caller, call.params.id, call.now);
  },
});

const remove = defineEndpoint({
  name: "deleteJob",
  tag: "Jobs",
  method: "DELETE",
  path: "/jobs/{id}",
  summary: "Delete a job",
  description:
    "Deletes a job with its files and its result at once, and returns its last state. One that has not ended is canceled first. Costs no credits.",
  scope: ANY,
  status: 200,
  response: jobSchema,
  errors: [],
  async handle(call) {
    return deleteJob(call.db, contextOf(call), call.caller, call.params.id, call.now);
  },
});

export const jobs = [list, fetchOne, result, cancel, remove];
