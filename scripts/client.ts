/** `npm run client`: writes the generated files of client/src/ anew from the service's openapi.json, which a started server gives. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./local-database.ts";
import { generate, type OpenApi } from "../client/generate.ts";
import { withService } from "../test/harness/service.ts";

const document = await withService(async ({ baseUrl }) => {
  const answer = await fetch(`${baseUrl}/api/v1/openapi.json`);
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  return (await answer.json()) as OpenApi;
});
for (const [name, text] of generate(document)) await writeFile(join(root, "client/src", name), text);
