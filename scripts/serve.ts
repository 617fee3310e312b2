/** `npm run serve`: the service on one machine, of a bundle that is built from this checkout beside the data. */
import { findApp } from "./find-server.ts";
import { serve } from "../src/serve/serve.ts";

await serve((data) => findApp(data, { fresh: true }));
