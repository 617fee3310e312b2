import { readFile, writeFile } from "node:fs/promises";

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
  await writeFile(file, `${text}\n`, { mode: 0o600, flag: "wx" });
  return { text, isMade: true };
}
