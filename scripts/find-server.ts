import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./local-database.ts";
import { PLACES } from "../src/serve/bundle.ts";

const isBundle = (folder: string): boolean => existsSync(join(folder, PLACES.settings));

/**
 * The folder of the bundle: the one that the program itself is in, as in a container, or one that is built from the checkout, beside the data. `fresh`: built
 * again even if there is one.
 */
export async function findApp(data: string, { fresh }: { readonly fresh: boolean }): Promise<string> {
  if (isBundle(root)) return root;
  const built = join(data, ".app");
  if (fresh || !isBundle(built)) {
    const { buildServer } = await import("./build-server.ts");
    // Another process may do the same, such as `npm run account` beside the first start of a server: each builds for itself, and the first one's is used.
    const own = `${built}.${process.pid}`;
    try {
      await buildServer(own);
      if (fresh || !isBundle(built)) await rm(built, { recursive: true, force: true });
      await rename(own, built).catch((error: unknown) => {
        if (!isBundle(built)) throw error;
      });
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }
  return built;
}
