/** `npm run serve`: the service on one machine, from a bundle that is built from this checkout, once per version. */
import "./compile-cache.ts";
import { findApp } from "./find-server.ts";
import { serve } from "../src/serve/serve.ts";

await serve((data) =>
  findApp(data, {
    current: true,
    building: () =>
      console.log(
        JSON.stringify({
          level: "info",
          message: "building",
          reason: "this version has not been started with this data",
        }),
      ),
  }),
);
