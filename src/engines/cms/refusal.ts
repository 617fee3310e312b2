import { Refusal } from "../errors.ts";

/** The Refusal `invalid_certificate`. `problem`: the end of a sentence that begins with the name of the field. */
export function invalidCertificate(field: string, problem: string, cause?: unknown): Refusal {
  return new Refusal("invalid_certificate", `\`${field}\` ${problem}.`, { input: field }, { cause });
}
