import { z } from "zod";
import { dateTime } from "../accounts/api-key-schema.ts";

/** The statuses of a job. `expired`: its result has been deleted. */
export const jobStatuses = ["queued", "running", "succeeded", "partial", "failed", "canceled", "expired"] as const;

/** A job in responses and events. */
export const jobSchema = z
  .object({
    id: z.string().describe("`job_...`"),
    operation: z.string().describe("The name of the operation, such as `ocr`."),
    status: z
      .enum(jobStatuses)
      .describe(
        "`partial`: some pages failed, and `onPageError` was `continue`. `expired`: the job ended, and its result has been deleted.",
      ),
    livemode: z.boolean().describe("True for jobs of live keys, false for jobs of test keys."),
    createdAt: dateTime("ISO 8601, UTC."),
    startedAt: dateTime("When the work began. Null while the job is `queued`.").nullable(),
    finishedAt: dateTime("When the job ended. Null until then.").nullable(),
    expiresAt: dateTime("When the result is deleted. Until the job has ended: when it is given up."),
    progress: z.object({
      unit: z.literal("page"),
      total: z.int().min(0),
      done: z.int().min(0),
      failed: z.int().min(0),
    }),
    credits: z.object({
      reserved: z.int().min(0).describe("What the job costs if all its pages are done."),
      charged: z.int().min(0).describe("What it was charged. 0 until the job has ended."),
    }),
    result: z
      .object({
        url: z.string().describe("Where the result is, for requests with an API key of the account."),
        contentType: z.string(),
        size: z.int().min(0).describe("In bytes."),
        sha256: z.string().describe("In hexadecimal."),
        pageCount: z.int().min(0).nullable().describe("The number of pages of a resulting PDF, if it is known."),
      })
      .nullable()
      .describe("Null unless the job is `succeeded` or `partial`."),
    error: z
      .object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() })
      .nullable()
      .describe("Why the job `failed`, as in an error response."),
    pageErrors: z
      .array(z.object({ page: z.int().min(1), code: z.string(), message: z.string() }))
      .describe("The pages that failed, where `onPageError` is `continue`."),
    delivery: z
      .object({
        status: z.enum(["pending", "succeeded", "failed"]),
        attempts: z.int().min(0),
        httpStatus: z.int().nullable().describe("The status of the last response. Null if there was none."),
        error: z.string().nullable().describe("Why there was no response, or it was incomplete."),
      })
      .nullable()
      .describe("The sending of the result to `deliverTo`. Null without `deliverTo`, and if the job has no result."),
  })
  .meta({ id: "Job" });

export type JobView = z.infer<typeof jobSchema>;
