import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of these programs that is on PATH. Undefined if none is. */
export const findProgram = (names: readonly string[]): string | undefined =>
  names
    .flatMap((name) => (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
