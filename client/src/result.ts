/** What the headers of a response say. */
export interface Facts {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  /** The credits charged: 0 for a retry with the same Idempotency-Key. */
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

/** A JSON response. */
export interface JsonResult<T> extends Facts {
  readonly data: T;
}

export async function jsonResult<T>(answer: Response): Promise<JsonResult<T>> {
  return { ...factsOf(answer), data: (await answer.json()) as T };
}

/** A file. Its body can be read once, as a stream or as a whole. `T` is the result of `json()`, for operations that can also return JSON. */
export class FileResult<T = never> implements Facts {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly creditsCharged: number | undefined;
  readonly creditsRemaining: number | undefined;
  /** `application/pdf`, `application/zip`, `image/png`, ... */
  readonly contentType: string;
  /** `<input>-<operation>.<extension>`. */
  readonly fileName: string;
  /** The number of pages, if it is a PDF. */
  readonly pageCount: number | undefined;
  /** Whether a damaged input was repaired without losing pages. */
  readonly inputRepaired: boolean;
  /** Whether a digital signature of the input is no longer valid. */
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
    if (this.#answer.body === null) throw new TypeError("The response has no body.");
    return this.#answer.body;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#answer.arrayBuffer());
  }

  blob(): Promise<Blob> {
    return this.#answer.blob();
  }

  /** Throws if the response is a file. */
  async json(): Promise<T> {
    if (!this.contentType.startsWith("application/json")) {
      throw new TypeError(`The response is ${this.contentType}, not JSON.`);
    }
    return (await this.#answer.json()) as T;
  }
}

/** The file name in a Content-Disposition header (RFC 6266); `filename*` wins over `filename`. */
function fileNameOf(disposition: string): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? "";
}
