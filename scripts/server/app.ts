import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../local-database.ts";
import { PLACES } from "./bundle.ts";

const isBundle = (folder: string): boolean => existsSync(join(folder, PLACES.settings));

/**
 * The folder of the bundle: the one that the program itself is in, as in a container, or one that is built from the checkout, beside the data. `fresh`: built
 * again even if there is one.
 */
export async function findApp(data: string, { fresh }: { readonly fresh: boolean }): Promise<string> {
  if (isBundle(root)) return root;
  const built = join(data, ".app");
  if (fresh || !isBundle(built)) {
    const { buildServer } = await import("./build.ts");
    await buildServer(built);
  }
  return built;
}
