import type { Context } from "hono";
import { storedError } from "../errors/api-error.ts";
import type { AppEnv } from "../exchange/exchange.ts";
import { attachment } from "../exchange/headers.ts";
import { sendFile } from "../exchange/send-file.ts";
import type { JobContext, JobRow } from "../../jobs/job.ts";
import { openResult } from "../../jobs/manage-jobs.ts";

/**
 * The result of a job: the bytes and headers with which the operation would have responded, or the error. Throws `not_ready`,
 * `expired`.
 */
export async function resultResponse(c: Context<AppEnv>, context: JobContext, row: JobRow): Promise<Response> {
  const { error, result } = row;
  if (error !== null) return storedError(error).toResponse();
  const opened = await openResult(c.get("database"), context, c.get("caller"), row, new Date());
  const { contentType = "application/octet-stream", name = null, headers = {} } = result ?? {};
  return sendFile(c, opened, {
    "Content-Type": contentType,
    ...(name !== null && { "Content-Disposition": attachment(name) }),
    ...headers,
  });
}
