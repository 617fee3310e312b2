/** The schedule with which the server of one machine asks the worker, before it ends it, to send the telemetry that it still has. */
export const FLUSH_CRON = "flush telemetry";
