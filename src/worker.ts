import { createApp } from "./app.ts";
import { keptBytes } from "./engines/pool.ts";
import { operations } from "./operations/index.ts";

const app = createApp(operations);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  scheduled: ({ cron }) => {
    console.log(JSON.stringify({ level: "info", message: "scheduled", cron, keptBytes: keptBytes() }));
  },
} satisfies ExportedHandler<object>;
