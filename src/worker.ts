import { sweep } from "./accounts/sweep.ts";
import { createApp } from "./app.ts";
import { keptBytes } from "./engines/pool.ts";
import { readEnv } from "./env.ts";
import { operations } from "./operations/index.ts";

const app = createApp(operations);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  async scheduled({ cron, scheduledTime }, env) {
    const { databases } = readEnv(env);
    const swept = await Promise.all(databases.map((db) => sweep(db, new Date(scheduledTime))));
    console.log(JSON.stringify({ level: "info", message: "scheduled", cron, keptBytes: keptBytes(), swept }));
  },
} satisfies ExportedHandler<object>;
