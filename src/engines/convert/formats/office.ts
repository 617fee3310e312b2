import type { Likelihood, PackageSample } from "./format.ts";

/** How documents of an Office program are recognized. */
interface OfficeMarks {
  /** An entry that only they have. */
  readonly entry: string;
  /** The media type of the main part, whose name programs choose (ECMA-376, part 1, 11.3.10 and 12.3.23). */
  readonly type: RegExp;
  /** The usual folder of the main part, if a package has no types. */
  readonly folder: string;
}

export const detectOffice =
  ({ entry, type, folder }: OfficeMarks) =>
  ({ names, contentTypes = "", main }: PackageSample): Likelihood => {
    if (names.includes(entry)) return "certain";
    return type.test(contentTypes) || main?.startsWith(folder) ? "likely" : undefined;
  };
