import { constants, existsSync } from "node:fs";
import { access, chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders of Miniflare below `v3`, which it makes, and of the databases and buckets below these. */
const LEVELS = 3;
/** The folder of the databases and buckets, as Miniflare names it. */
export const STORED = "v3";

/** Whether a server has stored data in a folder. */
export const hasData = (data: string): boolean => existsSync(join(data, STORED));

/**
 * Makes the data folder, for this user alone, and checks that its folders and databases can be written to: workerd would wait for them in vain.
 * Returns whether it could be closed to other users: a volume that belongs to somebody else keeps its mode. Throws an error with the path.
 */
export async function openDataFolder(data: string): Promise<boolean> {
  await mkdir(join(data, STORED), { recursive: true });
  const isOwn = await chmod(data, 0o700).then(
    () => true,
    () => false,
  );
  let paths = [data, join(data, STORED)];
  for (let level = 0; level < LEVELS && paths.length > 0; level += 1) {
    const next: string[] = [];
    for (const path of paths) {
      await access(path, constants.R_OK | constants.W_OK);
      // Of the folder itself, only `v3`.
      if (path === data) continue;
      const entries = await readdir(path, { withFileTypes: true });
      next.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name)));
    }
    paths = next;
  }
  return isOwn;
}
