/** What the headers of an answer say. */
export interface Facts {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  /** Credits that the call cost: 0 for a repetition under the same Idempotency-Key. */
  readonly creditsCharged: number | undefined;
  readonly creditsRemaining: number | undefined;
}

function factsOf({ status, headers }: Response): Facts {
  return {
    status,
    headers,
    requestId: headers.get("X-Request-Id") ?? undefined,
    creditsCharged: numberOf(headers, "X-Credits-Charged"),
    creditsRemaining: numberOf(headers, "X-Credits-Remaining"),
  };
}

function numberOf(headers: Headers, name: string): number | undefined {
  const value = headers.get(name);
  return value === null ? undefined : Number(value);
}

/** JSON, and what came with it. */
export interface JsonResult<T> extends Facts {
  readonly data: T;
}

export async function jsonResult<T>(answer: Response): Promise<JsonResult<T>> {
  return { ...factsOf(answer), data: (await answer.json()) as T };
}

/**
 * A file, whose body can be read once: as a stream, or whole. `T`: what `json()` gives, of an operation that can answer with
 * JSON instead.
 */
export class FileResult<T = never> implements Facts {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly creditsCharged: number | undefined;
  readonly creditsRemaining: number | undefined;
  /** `application/pdf`, `application/zip`, `image/png`, ... */
  readonly contentType: string;
  /** As the service names it: `<input>-<operation>.<extension>`. */
  readonly fileName: string;
  /** Pages, where it is a PDF. */
  readonly pageCount: number | undefined;
  /** Whether a damaged input was repaired; all its pages were found. */
  readonly inputRepaired: boolean;
  /** Whether a digital signature of the input no longer verifies. */
  readonly signatureInvalidated: boolean;
  readonly #answer: Response;

  constructor(answer: Response) {
    const { status, headers, requestId, creditsCharged, creditsRemaining } = factsOf(answer);
    this.status = status;
    this.headers = headers;
    this.requestId = requestId;
    this.creditsCharged = creditsCharged;
    this.creditsRemaining = creditsRemaining;
    this.contentType = headers.get("Content-Type") ?? "application/octet-stream";
    this.fileName = fileNameOf(headers.get("Content-Disposition") ?? "");
    this.pageCount = numberOf(headers, "X-Page-Count");
    this.inputRepaired = headers.get("X-Input-Repaired") === "true";
    this.signatureInvalidated = headers.get("X-Signature-Invalidated") === "true";
    this.#answer = answer;
  }

  stream(): ReadableStream<Uint8Array> {
    if (this.#answer.body === null) throw new TypeError("The answer has no body.");
    return this.#answer.body;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#answer.arrayBuffer());
  }

  blob(): Promise<Blob> {
    return this.#answer.blob();
  }

  /** Throws where the answer is a file. */
  async json(): Promise<T> {
    if (!this.contentType.startsWith("application/json")) {
      throw new TypeError(`The answer is ${this.contentType}, not JSON.`);
    }
    return (await this.#answer.json()) as T;
  }
}

/** The name in a Content-Disposition (RFC 6266), the one with all its characters where there are two. */
function fileNameOf(disposition: string): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? "";
}
