import { type Admission, admissionOf, type Admittance } from "./admission.ts";
import { RequestMemory } from "./request-memory.ts";
import type { ImagesBinding } from "@cloudflare/workers-types";
import type { ApiError } from "../errors/api-error.ts";
import { issuerServiceOf } from "../fetch/issuer-service.ts";
import { officeConverterOf } from "../fetch/office-converter.ts";
import { pageBrowserOf } from "../fetch/page-browser.ts";
import { timestampServiceOf } from "../fetch/timestamp-service.ts";
import type { Services } from "../../engines/services.ts";
import type { Engines, WebpService } from "../../engines/lease/engines.ts";
import { clearSpares, dropLarger, dropSpares, type EngineLease, leaseEngines } from "../../engines/lease/pool.ts";
import type { LeaseOptions, Parking } from "../../engines/lease/pool.ts";
import { type Work, workOfRequest } from "../../engines/work.ts";
import type { Env } from "../../env.ts";
import { limits, type MemorySizes, MiB } from "../../limits.ts";
import type { Operation } from "../../operations/definition/define.ts";
import { memoryTaken } from "../errors/load-errors.ts";

/** How much of a response is produced ahead of its reader while memory allows. Produced bytes need no engine anymore. */
const AHEAD_BYTES = 32 * MiB;

export interface LeaseRequest {
  readonly account: string;
  readonly operation: Pick<Operation, "memory">;
  /** The Content-Length, if sent. */
  readonly length: number | undefined;
  /** Maximum size of the body. */
  readonly maxBytes: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Passed to the engines. */
  readonly given: Omit<LeaseOptions, "expected" | "most" | "work" | "parking"> & { readonly sizes: MemorySizes };
  readonly services: Services;
  /** As for `Admittance`. */
  readonly yieldsToSmaller?: boolean;
  /** Called when its engines are returned before something outside is waited for. */
  readonly parked?: () => void;
  /** Keeps work running after the response. */
  waitUntil(promise: Promise<unknown>): void;
}

/** The services outside, for a request or a part of a job. `signal`: aborted when nobody waits for it anymore. */
export const servicesOf = (env: Env, signal: AbortSignal): Services => ({
  timestamps: timestampServiceOf(env.timestamps, signal),
  issuers: issuerServiceOf(env.issuers, signal),
  browser: pageBrowserOf(env, signal),
  office: officeConverterOf(env.office, signal),
});

/** What engines are given for every request and every part of a job. */
export function leaseOptions({ images, loadFont, loadModel, sizes }: Env): LeaseRequest["given"] {
  return {
    sizes,
    webpService: images && webpServiceOf(images.binding, images.ignoresQuality),
    loadFont,
    loadModel,
  };
}

/** WebP by Cloudflare Images. */
function webpServiceOf(images: ImagesBinding, ignoresQuality: boolean): WebpService {
  return {
    ignoresQuality,
    async encode(png, quality) {
      const result = await images.input(png).output({ format: "image/webp", quality });
      return result.image();
    },
  };
}

/**
 * The memory of a request that gets engines, and these engines. Its owner holds it with `using`, as long as work runs or the response is sent. If
 * admission reclaims the memory, the engines are never leased again, and anyone still using them fails at the next slice.
 *
 * A small body is read before the request has an engine; a larger one goes straight into the engine's heap. The same holds for files that the body
 * refers to: `makeRoom` waits for their memory. Either way, `turn` waits for the request's turn.
 */
export class Lease extends RequestMemory {
  /** Size of the body in bytes, or its maximum if unknown. */
  readonly bodyBytes: number;
  /** Whether to read the body before `turn`. */
  readonly isSmall: boolean;
  readonly #admission: Admission;
  #request: LeaseRequest;
  #engines: EngineLease | undefined;
  /** Bytes of the request's files, for which memory is estimated: the body, and files that it refers to. */
  #fileBytes: number;
  /** Bytes of files that are held outside the engines. */
  #copiedBytes: number;
  /** The request's work limits, and the work done so far. */
  readonly work: Work;
  /** Bytes of the response that are produced but not sent. */
  #unsentBytes = 0;

  private constructor(admission: Admission, request: LeaseRequest) {
    super(admission, request.account, request.signal);
    const { length, maxBytes } = request;
    this.#admission = admission;
    this.#request = request;
    this.work = workOfRequest(() => this.check());
    this.bodyBytes = length ?? maxBytes;
    this.isSmall = length !== undefined && length <= limits.admission.smallBodyBytes;
    this.#fileBytes = this.bodyBytes;
    this.#copiedBytes = this.isSmall ? this.bodyBytes : 0;
    this.onLost(() => {});
  }

  /**
   * Waits for memory, and for engines if the body is large. Throws `overloaded` if they do not become free in time. The caller
   * disposes of the lease.
   */
  static async take(request: LeaseRequest): Promise<Lease> {
    const lease = new Lease(admissionOf(request.given.sizes.memoryBytes), request);
    try {
      const { isSmall, bodyBytes } = lease;
      const { waitMilliseconds } = limits.admission;
      if (isSmall) await lease.#admitTo("read", bodyBytes, waitMilliseconds);
      else await lease.#admitTo("read into an engine", intoEngine(request, bodyBytes), waitMilliseconds);
      return lease;
    } catch (error) {
      lease[Symbol.dispose]();
      throw error;
    }
  }

  /** The body tells which operation runs: the memory that it needs is asked for from here on. */
  resolve(operation: LeaseRequest["operation"]): void {
    this.#request = { ...this.#request, operation };
  }

  /**
   * Waits for the memory of `bytes` of files, the body included: to read them before `turn`, or into the engine. Throws
   * `overloaded` if it does not become free in time.
   */
  async makeRoom(bytes: number, to: "read" | "read into an engine"): Promise<void> {
    this.#fileBytes = bytes;
    if (to === "read") this.#copiedBytes = bytes;
    const needed = to === "read" ? bytes : intoEngine(this.#request, bytes) + this.#copiedBytes;
    await this.#admitTo(to, needed, limits.admission.waitMilliseconds);
  }

  /** Waits for the request's turn once its files have arrived. Throws `overloaded` if it does not come in time. */
  async turn(): Promise<void> {
    const needed = intoEngine(this.#request, this.#fileBytes) + this.#copiedBytes;
    const bytes = this.#engines === undefined ? needed : this.bytes;
    await this.#admitTo("work", bytes, limits.admission.turnMilliseconds);
  }

  /** While its engines are parked, others work, and it holds only the bytes that it needs later. */
  get #parking(): Parking {
    const { outsideBytes, turnMilliseconds: waitMilliseconds } = limits.admission;
    const { yieldsToSmaller } = this.#request;
    const again = (bytes: number): Promise<void> =>
      this.orEnd(() => this.admit({ to: "work", bytes, isLight: this.#isLight, waitMilliseconds, yieldsToSmaller }));
    return {
      parked: (bytes, outside) => {
        this.park(bytes + outsideBytes, outside);
        this.#clearSpares();
        this.#request.parked?.();
      },
      outside: async (ask) => {
        this.leave();
        const isPrinted = this.parkedFor === "browser";
        if (isPrinted) {
          const { bytes } = this;
          await this.orEnd(() => this.admit({ to: "print", bytes, waitMilliseconds, yieldsToSmaller }));
        }
        // It works on the response in a place of its own, though without an engine.
        const response = await ask().finally(() => {
          if (isPrinted) this.printed();
          return again(this.bytes);
        });
        await this.orEnd(() => {
          if (this.grow(this.bytes + response.length) !== true) throw memoryTaken();
        });
        return response;
      },
      turn: async () => {
        const heapBytes = intoEngine(this.#request, this.#fileBytes);
        this.leave();
        await again(this.bytes + heapBytes);
        return heapBytes;
      },
      resumed: () => this.resume(this.#engines?.heapBytes() ?? 0),
    };
  }

  async #admitTo(to: Admittance["to"], bytes: number, waitMilliseconds: number): Promise<void> {
    const { yieldsToSmaller } = this.#request;
    await this.admit({ to, bytes, isLight: this.#isLight, waitMilliseconds, yieldsToSmaller });
    if (to !== "read" && this.#engines === undefined) await this.#leaseWithin(weightOf(this.#fileBytes));
  }

  get #isLight(): boolean {
    const { needsHeadroom = false, extraBytes = 0 } = this.#request.operation.memory ?? {};
    return !needsHeadroom && extraBytes === 0 && this.#fileBytes <= limits.admission.smallBodyBytes;
  }

  /** The files are now in the engine's heap, so the copies outside it can go. */
  dropCopies(): void {
    const heap = this.#engines?.heapBytes() ?? 0;
    if (this.#copiedBytes > 0) this.hold(Math.max(this.bytes - this.#copiedBytes, heap));
    this.#copiedBytes = 0;
  }

  /** Throws if the lease has ended. */
  get engines(): Engines {
    this.check();
    if (this.#engines === undefined) throw new Error("the request has no engines");
    return this.#engines.engines;
  }

  /** Those of the request, asked without engines. */
  get services(): Services {
    const { timestamps, issuers, browser, office } = this.#request.services;
    const { engines } = this;
    return {
      timestamps: timestamps && {
        hasDefault: timestamps.hasDefault,
        request: (...asked) => engines.outside(() => timestamps.request(...asked)),
      },
      issuers: issuers && {
        get: (...asked) => engines.outside(() => issuers.get(...asked)),
        post: (...asked) => engines.outside(() => issuers.post(...asked)),
      },
      browser: browser && { print: (...asked) => engines.outside(() => browser.print(...asked)) },
      office: office && { convert: (...asked) => engines.outside(() => office.convert(...asked)) },
    };
  }

  /** `act` is called from another request, when admission reclaims the lease: it may touch plain values only, no I/O. */
  onLost(act: (reason: ApiError) => void): void {
    this.whenLost(() => {
      this.#returnEngines(false);
      act(this.reason);
    });
  }

  /** Whether `bytes` of the response may be buffered for the client, in addition to the engines. */
  mayHold(bytes: number): boolean {
    const { engineBytes, smallBodyBytes, growthBytes } = limits.admission;
    this.#unsentBytes = bytes;
    if (bytes === 0) return true;
    // Its engines, and those of another slow reader, may still grow for the next entry.
    const spare = engineBytes + smallBodyBytes + growthBytes;
    const heap = this.#engines?.heapBytes() ?? 0;
    return bytes <= AHEAD_BYTES && this.grow(heap + bytes, spare) === true;
  }

  /** Reports that `bytes` of the response were sent and `unsent` produced bytes remain. Throws as `check` does. */
  sent(bytes: number, unsent: number): void {
    this.check();
    this.#unsentBytes = unsent;
    this.moved(bytes);
    if (this.#engines === undefined) this.hold(unsent);
  }

  /** Translates an error thrown by the engines. */
  explain(error: unknown): unknown {
    return this.aborted ? this.reason : (this.#engines?.engines.explain(error) ?? error);
  }

  /** The request is not charged: its work counts against what the account may do so. */
  countUncharged(): void {
    this.#admission.countUncharged(this.account, this.work.spent);
  }

  /**
   * Returns the engines when only `unsent` bytes of the response remain. `clean: false` if the engines can no longer be
   * trusted.
   */
  finishWork(clean: boolean, unsent: number): void {
    if (this.#returnEngines(clean)) this.drain(unsent);
  }

  override [Symbol.dispose](): void {
    this.#returnEngines(true);
    super[Symbol.dispose]();
  }

  /** The one place where engines leave the request. Returns whether it had any. */
  #returnEngines(clean: boolean): boolean {
    const engines = this.#engines;
    this.#engines = undefined;
    engines?.release(clean);
    if (engines && this.lost === undefined) this.#clearSpares();
    return engines !== undefined;
  }

  #clearSpares(): void {
    this.#request.waitUntil(scheduler.wait(0).then(clearSpares));
  }

  /**
   * Leases engines within the request's memory. A kept engine may have grown in a larger request; it is dropped if it does not fit this
   * one.
   */
  async #leaseWithin(expected: number): Promise<void> {
    const { given, operation } = this.#request;
    const { needsHeadroom = false, extraBytes = 0 } = operation.memory ?? {};
    if (extraBytes > 0) dropLarger(limits.admission.reusableHeapBytes);
    const allowHeap = (bytes: number): boolean | "busy" => this.grow(bytes + this.#unsentBytes);
    const options = { ...given, work: this.work, parking: this.#parking };
    // An engine that grew in an earlier request would leave too little memory for the rest of this one, even without other requests.
    const { engineBytes, reusableHeapBytes } = limits.admission;
    const most = needsHeadroom
      ? Math.max(reusableHeapBytes, engineBytes + this.#fileBytes)
      : given.sizes.memoryBytes - Math.max(engineBytes, this.#fileBytes);
    this.#engines = await leaseEngines(allowHeap, { ...options, expected, most });
    // A larger kept engine must not take the room that slow readers leave for a small request.
    if (this.grow(this.#engines.heapBytes(), limits.admission.engineBytes) === true) return;
    this.#returnEngines(false);
    dropSpares();
    this.#engines = await leaseEngines(allowHeap, options);
  }
}

/** Bytes for reading a body into an engine and working on it. */
const intoEngine = ({ operation }: LeaseRequest, bodyBytes: number): number =>
  weightOf(bodyBytes, operation.memory?.extraBytes);

/**
 * Estimated memory of a request, in bytes. If the estimate was too low, the engine asks for more. `extraBytes` are needed
 * while the engine has only read the body, and are free again before it makes copies and the output.
 */
function weightOf(bodyBytes: number, extraBytes = 0): number {
  const { engineBytes, engineOwnBytes, heapPerBodyByte } = limits.admission;
  const reading = extraBytes > 0 ? engineBytes + bodyBytes + extraBytes : 0;
  return Math.max(engineBytes, engineOwnBytes + bodyBytes * heapPerBodyByte, reading);
}
