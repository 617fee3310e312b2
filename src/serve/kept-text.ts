import { readFile, rm, writeFile } from "node:fs/promises";

/** The text of a file in the data folder, and whether it was made just now: at the first start, readable by this user alone. */
export async function keptText(
  file: string,
  make: () => string,
): Promise<{ readonly text: string; readonly isMade: boolean }> {
  try {
    return { text: (await readFile(file, "utf8")).trim(), isMade: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const text = make();
  try {
    await writeFile(file, `${text}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    // On a full disk it is there, and empty.
    await rm(file, { force: true });
    throw error;
  }
  return { text, isMade: true };
}
