import type { Certificate } from "pkijs";
import { hex } from "../../bytes/hex.ts";
import type { Work } from "../work.ts";
import { identityOf, nameBytes } from "./certificates.ts";

/** Fuel to look at a certificate among others. */
const POOL_WORK = 1_000;

/** Certificates that paths may lead through, each once. */
export class Pool {
  readonly work: Work;
  readonly #bySubject = new Map<string, Certificate[]>();

  constructor(work: Work, certificates: readonly Certificate[]) {
    this.work = work;
    const seen = new Set<string>();
    for (const one of certificates) {
      work.spend(POOL_WORK);
      const identity = identityOf(one);
      if (seen.has(identity)) continue;
      seen.add(identity);
      const subject = hex(nameBytes(one.subject));
      this.#bySubject.set(subject, [...(this.#bySubject.get(subject) ?? []), one]);
    }
  }

  /** Those whose name is that of the issuer. */
  issuersOf(certificate: Certificate): readonly Certificate[] {
    return this.#bySubject.get(hex(nameBytes(certificate.issuer))) ?? [];
  }
}
