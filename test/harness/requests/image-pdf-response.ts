import { post, type ApiResponse, type Part, type Service } from "./client.ts";
import { check, runQpdf } from "../engines/qpdf.ts";

type Fields = Readonly<Record<string, string>>;

const imageParts = (images: readonly Uint8Array[]): Record<string, Part> =>
  Object.fromEntries(images.map((bytes, index) => [`image${index}`, { bytes, fileName: `picture ${index}.jpg` }]));

/** What calls from-images. */
export class ImageCalls {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  response(images: readonly Uint8Array[], fields: Fields = {}): Promise<ApiResponse> {
    return post(this.#service, "from-images", { ...imageParts(images), ...fields });
  }

  /** The PDF. Throws where there is none, or qpdf finds something wrong with it. */
  async pdf(images: readonly Uint8Array[], fields: Fields = {}): Promise<Uint8Array> {
    const response = await this.response(images, fields);
    const { status, headers, body } = response;
    if (status !== 200) throw new Error(`${status}: ${new TextDecoder().decode(body)}`);
    const pages = headers.get("X-Page-Count");
    if (pages !== String(images.length)) throw new Error(`${pages} pages of ${images.length} images`);
    const { ok, text } = await check(body);
    if (!ok) throw new Error(text);
    return body;
  }

  /** Status, code, message and details of a refusal. */
  async refusal(images: readonly Uint8Array[], fields: Fields = {}): Promise<[number, string, string, unknown]> {
    const { status, body } = await this.response(images, fields);
    const { error } = JSON.parse(new TextDecoder().decode(body)) as {
      error: { code: string; message: string; details?: unknown };
    };
    return [status, error.code, error.message, error.details];
  }
}

/** An image XObject as qpdf sees it. */
export interface ImageObject {
  readonly dictionary: Readonly<Record<string, unknown>>;
  /** The stream as it lies in the file. */
  readonly data: Uint8Array;
}

/** All images of a file by object number; soft masks are images too. */
export async function imagesOf(pdf: Uint8Array): Promise<ReadonlyMap<string, ImageObject>> {
  const args = ["--json-output=2", "--json-stream-data=inline", "--decode-level=none", "/in.pdf", "/out.pdf"];
  const { output } = await runQpdf(args, { "/in.pdf": pdf });
  const { qpdf } = JSON.parse(new TextDecoder().decode(output)) as {
    qpdf: [unknown, Record<string, { stream?: { dict: Record<string, unknown>; data: string } }>];
  };
  const images = Object.entries(qpdf[1]).flatMap(([key, { stream }]) =>
    stream?.dict["/Subtype"] === "/Image"
      ? [[key.replace("obj:", ""), { dictionary: stream.dict, data: Buffer.from(stream.data, "base64") }] as const]
      : [],
  );
  return new Map(images);
}
