import { hex } from "../../bytes/hex.ts";
import type { Work } from "../work.ts";
import type { Certificate } from "./certificates.ts";

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
      const identity = one.identity;
      if (seen.has(identity)) continue;
      seen.add(identity);
      const subject = hex(one.subject.bytes);
      this.#bySubject.set(subject, [...(this.#bySubject.get(subject) ?? []), one]);
    }
  }

  /** Those whose name is that of the issuer. */
  issuersOf(certificate: Certificate): readonly Certificate[] {
    return this.#bySubject.get(hex(certificate.issuer.bytes)) ?? [];
  }
}
