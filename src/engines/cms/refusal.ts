import { Refusal } from "../errors.ts";
import { invalidCertificate } from "../signature-errors.ts";

/** Thrown for unusable data. The message is the end of a sentence about the file. */
export class Unusable extends Error {}

/** Thrown for unsupported algorithms and forms. It does not mean that the signature or certificate with them is invalid. */
export class Unsupported extends Unusable {}

/** A certificate was revoked. */
export class Revoked extends Unusable {}

/** Runs `read`, and refuses unreadable data: parsers report damage with errors of any kind. */
export async function readable<T>(field: string, problem: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw invalidCertificate(field, cause instanceof Unusable ? cause.message : problem, cause);
  }
}
