import { join } from "node:path";
import { describedApi } from "./described-api.ts";
import { root } from "./root.ts";
import { generate } from "../client/generate.ts";

/** The generated files of the clients, by path, from the description of this source. */
export async function generatedClients(): Promise<Map<string, string>> {
  return new Map(
    Array.from(generate(await describedApi()), ([name, text]) => [join(root, "client/src", name), text] as const),
  );
}
