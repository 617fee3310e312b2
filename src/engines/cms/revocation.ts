/** Whether certificates were revoked (RFC 5280, 6.3; RFC 6960): by given data, and by the responses of issuers. */
import { limits } from "../../limits.ts";
import type { IssuerService } from "../services.ts";
import {
  type Certificate,
  accessOf,
  certificateOf,
  CLOCK_SKEW,
  hasDistributionPoints,
  hasNoRevocation,
  pointsOf,
} from "./certificates.ts";
import { readCrl } from "./crl.ts";
import { ocspRequest, readOcsp } from "./ocsp.ts";
import { Unusable } from "./refusal.ts";
import { aboutAnother, notAsked, outOfDate } from "./problems.ts";
import { Refusal } from "../errors.ts";
import type { Work } from "../work.ts";
import type { RevocationInfo } from "./revocation-info.ts";

const DAY = 24 * 3_600_000;

export interface RevocationData {
  /** An OCSPResponse or a CertificateList, DER. */
  readonly kind: "ocsp" | "crl";
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the object begins that has it, in bytes from the start of the file; undefined if the file does not have it. */
  readonly position?: number | undefined;
}

export type RevocationStatus =
  | { readonly status: "good"; readonly proof: RevocationData }
  | { readonly status: "revoked"; readonly on: Date; readonly proof: RevocationData }
  /** It names no source. */
  | { readonly status: "none" }
  /** `problem`: a clause with the reason. */
  | { readonly status: "unknown"; readonly problem: string };

interface Known {
  readonly data: RevocationData;
  readonly infos: readonly RevocationInfo[];
  /** Whether an issuer signed it, by the certificate of the issuer. */
  readonly signed: Map<string, Promise<boolean>>;
}

export interface Asked {
  /** The time for which it must be known. */
  readonly at: Date;
  /** Whether issuers are requested. */
  readonly asks?: boolean;
  /** Only data of the file up to this position is used. */
  readonly before?: number;
}

const NOT_ASKED = "its issuer was not asked";

/** A clause about the response that has a problem. */
const ofResponse = (error: unknown): string =>
  `the response of its issuer ${error instanceof Unusable ? error.message : "cannot be read"}`;

/** The known data of one request. Unreadable data are left out: they prove nothing. */
export class Revocations {
  readonly #work: Work;
  readonly #service: IssuerService | undefined;
  readonly #known: Known[] = [];
  readonly #problems = new Map<string, string>();
  /** Requests that may still be sent, and bytes of lists that may still be received. */
  #requests: number = limits.revocation.requests;
  #bytes: number = limits.revocation.totalBytes;
  #until: number | undefined;

  constructor(work: Work, service: IssuerService | undefined, given: readonly RevocationData[] = []) {
    this.#work = work;
    this.#service = service;
    for (const data of given) this.add(data);
  }

  add(data: RevocationData): void {
    this.#known.push(knownOnceRead(this.#work, data));
  }

  /** Searches the known data, then sends requests. A revocation counts more than other data without it. */
  async statusOf(certificate: Certificate, issuer: Certificate, asked: Asked): Promise<RevocationStatus> {
    const { asks = true, before } = asked;
    const isWithin = ({ data: { position } }: Known): boolean =>
      before === undefined || (position !== undefined && position < before);
    let good: RevocationStatus | undefined;
    for (const known of this.#known.filter(isWithin)) {
      await this.#work.pause();
      const found = await this.#look(known, certificate, issuer, asked);
      if (found?.status === "revoked") return found;
      if (found?.status === "good") good ??= found;
    }
    if (good) return good;
    if (hasNoRevocation(certificate)) return { status: "none" };
    let sources: Source[];
    try {
      sources = sourcesOf(certificate);
    } catch {
      return { status: "unknown", problem: "where to ask its issuer cannot be read" };
    }
    if (sources.length === 0)
      return hasDistributionPoints(certificate)
        ? { status: "unknown", problem: "it names only sources that are not supported" }
        : { status: "none" };
    let problem = NOT_ASKED;
    if (!asks || this.#service === undefined) return { status: "unknown", problem };
    for (const source of sources) {
      const known = await this.#ask(source, certificate, issuer);
      const found = typeof known === "string" ? known : await this.#look(known, certificate, issuer, asked);
      if (typeof found === "object" && (found.status === "good" || found.status === "revoked")) return found;
      problem = typeof found === "string" ? found : (found?.problem ?? ofResponse(aboutAnother()));
    }
    return { status: "unknown", problem };
  }

  /** The certificate of an issuer, from the URL in the one that it issued. Undefined if it is unavailable. */
  async issuerOf(certificate: Certificate): Promise<Certificate | undefined> {
    const service = this.#service;
    try {
      const [url] = accessOf(certificate, "issuer");
      if (url === undefined || service === undefined || !this.#mayAsk()) return undefined;
      return certificateOf(
        this.#work,
        await service.get(url, "application/pkix-cert", limits.revocation.certificateBytes),
      );
    } catch (error) {
      if (error instanceof Refusal) throw error;
      return undefined;
    }
  }

  /** Counts a request. */
  #mayAsk(): boolean {
    this.#until ??= Date.now() + limits.revocation.totalMilliseconds;
    return this.#requests-- > 0 && Date.now() <= this.#until;
  }

  async #look(
    known: Known,
    certificate: Certificate,
    issuer: Certificate,
    { at }: Asked,
  ): Promise<Exclude<RevocationStatus, { status: "none" }> | undefined> {
    let problem: string | undefined;
    const { data } = known;
    for (const info of known.infos) {
      try {
        if (!(await info.isAbout(certificate, issuer, this.#work)) || !(await this.#isFrom(known, info, issuer)))
          continue;
        const { revokedAt } = await info.judge(certificate, this.#work);
        await this.#work.pause();
        // A revoked certificate stays revoked, however old the response is.
        if (revokedAt !== undefined && revokedAt <= at) return { status: "revoked", on: revokedAt, proof: data };
        if (isFresh(info, certificate, at)) return { status: "good", proof: data };
        problem = ofResponse(outOfDate());
      } catch (error) {
        if (error instanceof Refusal) throw error;
        problem = ofResponse(error);
      }
    }
    return problem === undefined ? undefined : { status: "unknown", problem };
  }

  /** The same for all certificates, so it is verified once. */
  #isFrom({ signed }: Known, info: RevocationInfo, issuer: Certificate): Promise<boolean> {
    const identity = issuer.identity;
    const found = signed.get(identity) ?? info.isFrom(issuer, this.#work);
    signed.set(identity, found);
    return found;
  }

  /** Sends one request to a source. Returns a clause with the reason if the response could not be used. */
  async #ask(source: Source, certificate: Certificate, issuer: Certificate): Promise<Known | string> {
    const { kind, url } = source;
    const earlier = kind === "crl" ? this.#problems.get(url) : undefined;
    if (earlier !== undefined) return earlier;
    const fail = (problem: string): string => {
      this.#problems.set(url, problem);
      return problem;
    };
    if (!this.#mayAsk()) return fail("asking its issuer would take too long, with those before");
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = await this.#send(source, certificate, issuer);
    } catch (error) {
      return fail(`the service of its issuer ${error instanceof Unusable ? error.message : "cannot be asked"}`);
    }
    try {
      const known = knownFrom(this.#work, { kind, bytes }, new Date());
      this.#known.push(known);
      return known;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      return fail(ofResponse(error));
    }
  }

  async #send({ kind, url }: Source, certificate: Certificate, issuer: Certificate): Promise<Uint8Array<ArrayBuffer>> {
    const { ocspBytes, crlBytes } = limits.revocation;
    if (this.#service === undefined) throw notAsked();
    if (kind === "crl") {
      const bytes = await this.#service.get(url, "application/pkix-crl", Math.min(crlBytes, this.#bytes));
      this.#bytes -= bytes.length;
      return bytes;
    }
    return this.#service.post(url, OCSP_TYPES, await ocspRequest(certificate, issuer), ocspBytes);
  }
}

const OCSP_TYPES = { request: "application/ocsp-request", response: "application/ocsp-response" } as const;

interface Source {
  readonly kind: "ocsp" | "crl";
  readonly url: string;
}

/** OCSP first: a response is small, and usually newer. */
const sourcesOf = (certificate: Certificate): Source[] => [
  ...accessOf(certificate, "ocsp").map((url) => ({ kind: "ocsp" as const, url })),
  ...pointsOf(certificate).map((url) => ({ kind: "crl" as const, url })),
];

const knownFrom = (work: Work, data: RevocationData, now?: Date): Known => ({
  data,
  infos: data.kind === "ocsp" ? readOcsp(work, data.bytes, now) : [readCrl(work, data.bytes)],
  signed: new Map(),
});

/** The same, read on first use. Unreadable data either are not needed, or count as missing. */
function knownOnceRead(work: Work, data: RevocationData): Known {
  let infos: readonly RevocationInfo[] | undefined;
  return {
    data,
    signed: new Map(),
    get infos() {
      try {
        infos ??= knownFrom(work, data).infos;
      } catch (error) {
        if (error instanceof Refusal) throw error;
        infos = [];
      }
      return infos;
    },
  };
}

/**
 * Whether it is valid for that time: the time is not after its next update. Newer data are valid, too, until the certificate expires: issuers may
 * leave out expired ones then (RFC 5280, 3.3).
 */
function isFresh({ thisUpdate, nextUpdate }: RevocationInfo, { notAfter }: Certificate, at: Date): boolean {
  const until = nextUpdate?.getTime() ?? thisUpdate.getTime() + DAY;
  return thisUpdate.getTime() <= Date.now() + CLOCK_SKEW && until >= at.getTime() && thisUpdate <= notAfter;
}
