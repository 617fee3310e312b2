/** What the Dockerfile runs: all that the service needs beside Node, for the platform that this runs on, in dist/pdf-service. */
import { join } from "node:path";
import { root } from "./root.ts";
import { buildServer } from "./build-server.ts";

await buildServer(join(root, "dist/pdf-service"), { movable: true });
