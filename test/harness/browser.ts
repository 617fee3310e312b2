import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The Chromium of this machine: that of CHROMIUM_PATH, else the first on PATH. Undefined where there is none. */
export function chromiumPath(): string | undefined {
  const given = process.env.CHROMIUM_PATH;
  if (given !== undefined && given !== "") return given;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
