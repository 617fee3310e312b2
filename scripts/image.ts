/** `npm run image`: the archive that the Dockerfile unpacks, all that the service needs beside Node. */
import { spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root.ts";
import { buildServer } from "./build-server.ts";

const MB = 1_000_000;
const folder = join(root, "dist/pdf-service");
const archive = `${folder}.tar.gz`;

await buildServer(folder, { movable: true });
// Owned by root, so that the service cannot change itself.
const options = ["--owner=0", "--group=0", "--numeric-owner", "-czf", archive, "-C", folder, "."];
const tar = spawnSync("tar", options, { stdio: "inherit" });
if (tar.status !== 0) throw new Error("tar failed");
console.log(`dist/pdf-service.tar.gz: ${((await stat(archive)).size / MB).toFixed(0)} MB`);
