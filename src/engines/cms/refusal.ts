import { Refusal } from "../errors.ts";

/** Thrown for unusable data. The message is the end of a sentence about the file. */
export class Unusable extends Error {}

/** Thrown for unsupported algorithms and forms. It does not mean that the signature or certificate with them is invalid. */
export class Unsupported extends Unusable {}

/** The Refusal `invalid_certificate`. `problem`: the end of a sentence that begins with the name of the field. */
export function invalidCertificate(field: string, problem: string, cause?: unknown): Refusal {
  return new Refusal("invalid_certificate", `\`${field}\` ${problem}.`, { input: field }, { cause });
}

/** The Refusal `timestamp_failed`. `problem`: the end of a sentence that begins with the service. */
export function timestampFailed(problem: string, cause?: unknown): Refusal {
  return new Refusal("timestamp_failed", `The time-stamp service ${problem}.`, undefined, { cause });
}

/** The Refusal `revocation_unavailable`. `problem`: the end of a sentence that begins with the chain of certificates. */
export function revocationUnavailable(whose: string, problem: string): Refusal {
  return new Refusal("revocation_unavailable", `The certificate chain of the ${whose} ${problem}.`);
}

/** Runs `read`, and refuses unreadable data: parsers report damage with errors of any kind. */
export async function readable<T>(field: string, problem: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw invalidCertificate(field, cause instanceof Unusable ? cause.message : problem, cause);
  }
}
