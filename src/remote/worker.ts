/** The service as a process of one machine runs it: the same worker, with bindings that another process serves if there are several. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { type Connection, remoteBindings } from "./bindings.ts";
// The bundle has it as a module of its own (scripts/build-server.ts).
import service from "../worker.ts";

type Bindings = Connection | { readonly REMOTE?: undefined };

const known = new WeakMap<Bindings, object>();

function connected(bindings: Bindings): object {
  const env =
    known.get(bindings) ?? (bindings.REMOTE === undefined ? bindings : { ...bindings, ...remoteBindings(bindings) });
  known.set(bindings, env);
  return env;
}

export default {
  fetch: (request, env, context) => service.fetch(request, connected(env), context),
  queue: (batch, env, context) => service.queue(batch as never, connected(env), context),
  scheduled: (controller, env, context) => service.scheduled(controller, connected(env), context),
} satisfies ExportedHandler<Bindings>;

/** Receives the events that the server sends: Miniflare passes only requests and schedules on to the default entrypoint of a worker with assets. */
export class Events extends WorkerEntrypoint<Bindings> {
  override queue(batch: MessageBatch): Promise<void> {
    return service.queue(batch as never, connected(this.env), this.ctx);
  }

  override scheduled(controller: ScheduledController): Promise<void> {
    return service.scheduled(controller, connected(this.env), this.ctx);
  }
}
