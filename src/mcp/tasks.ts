/** The Tasks extension (SEP-2663) for revision 2026-07-28: a job is a task, by the same ID. */
import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { failure } from "./failure.ts";
import { resultOf } from "./result.ts";
import { isObject, type Json, jsonOf, pathSegment, type ToolCall } from "./tool.ts";
import { storedError } from "../http/errors/api-error.ts";
import type { JobView } from "../events/job-schema.ts";
import { limits } from "../limits.ts";

export const TASKS = "io.modelcontextprotocol/tasks";

/** Whether the client that sent a request takes a task instead of a result. */
export function takesTasks(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities["extensions"] : undefined;
  return isObject(extensions) && Object.hasOwn(extensions, TASKS) && isObject(extensions[TASKS]);
}

/** What every state of a task has. */
function taskOf({ id, createdAt, startedAt, finishedAt, expiresAt, progress, status }: JobView): Json {
  const { done, total } = progress;
  return {
    taskId: id,
    createdAt,
    lastUpdatedAt: finishedAt ?? startedAt ?? createdAt,
    ttlMs: Math.max(0, Date.parse(expiresAt) - Date.parse(createdAt)),
    pollIntervalMs: limits.jobs.retryAfterSeconds * 1_000,
    statusMessage: `${status}: ${done} of ${total} pages`,
  };
}

/** The result of a call that has become a task. */
export const createdTask = (job: JobView): Json => ({ resultType: "task", status: "working", ...taskOf(job) });

const params = z.object({ taskId: z.string().max(200) });

/** Handles the requests of the tasks extension. Each becomes a request to the jobs endpoints. */
export function serveTasks(server: Server, call: (signal: AbortSignal) => ToolCall): void {
  server.setRequestHandler("tasks/get", { params }, async ({ taskId }, context) => {
    const send = call(context.mcpReq.signal);
    return detailed(send, await jobOf(send, "GET", taskId));
  });
  server.setRequestHandler("tasks/cancel", { params }, async ({ taskId }, context) => {
    await jobOf(call(context.mcpReq.signal), "POST", taskId, "/cancel");
    return {};
  });
  // Jobs never ask for input.
  server.setRequestHandler("tasks/update", { params }, async ({ taskId }, context) => {
    await jobOf(call(context.mcpReq.signal), "GET", taskId);
    return {};
  });
}

async function jobOf(call: ToolCall, method: string, id: string, action = ""): Promise<JobView> {
  const response = await call.send(method, `/jobs/${pathSegment(id)}${action}`);
  if (response.status < 500 && !response.ok) {
    const { error } = await response.json<{ error: { message: string } }>();
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
  return (await jsonOf(response)) as unknown as JobView;
}

async function detailed(call: ToolCall, job: JobView): Promise<Json> {
  const task = taskOf(job);
  if (job.status === "queued" || job.status === "running") return { ...task, status: "working" };
  if (job.status === "canceled") return { ...task, status: "cancelled" };
  if (job.status === "failed" && job.error !== null) {
    const { code, message, details } = job.error;
    const error = storedError({ code, message, ...(details && { details }) });
    return { ...task, status: "completed", result: failure(error) };
  }
  const response = await call.send("GET", `/jobs/${job.id}/result`);
  if (response.ok) return { ...task, status: "completed", result: await resultOf(call, response, {}) };
  const { error } = await response.json<{ error: { message: string } }>();
  return { ...task, status: "failed", error: { code: ProtocolErrorCode.InternalError, message: error.message } };
}
