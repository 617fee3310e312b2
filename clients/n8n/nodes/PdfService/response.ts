import {
  type IDataObject,
  type IExecuteSingleFunctions,
  type IN8nHttpFullResponse,
  type INodeExecutionData,
  type JsonObject,
  NodeApiError,
} from "n8n-workflow";
import { facts } from "./operations";

/** Makes an item of a response: JSON of JSON, and a binary field `data` of a file. Throws the service's error. */
export async function readResult(
  this: IExecuteSingleFunctions,
  _items: INodeExecutionData[],
  { body, headers, statusCode }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
  const bytes = Buffer.from(body as ArrayBuffer);
  const type = textOf(headers["content-type"]) ?? "application/octet-stream";
  if (statusCode >= 400) throw errorOf(this, statusCode, bytes);
  const pairedItem = { item: this.getItemIndex() };
  if (type.startsWith("application/json")) {
    return [{ json: JSON.parse(bytes.toString("utf8")) as IDataObject, pairedItem }];
  }
  const fileName = fileNameOf(textOf(headers["content-disposition"]) ?? "");
  const json: IDataObject = { fileName, contentType: type, size: bytes.length };
  for (const { name, header, type: kind } of facts) {
    const text = textOf(headers[header]);
    if (text !== undefined) json[name] = kind === "integer" || kind === "number" ? Number(text) : text;
  }
  return [{ json, binary: { data: await this.helpers.prepareBinaryData(bytes, fileName, type) }, pairedItem }];
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** RFC 6266. */
function fileNameOf(disposition: string): string | undefined {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, "$1");
}

interface ServiceError {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: { readonly fields?: readonly { readonly name: string; readonly issue: string }[] };
  };
}

function errorOf(context: IExecuteSingleFunctions, statusCode: number, body: Buffer): NodeApiError {
  const text = body.toString("utf8");
  const { code, message, details }: ServiceError["error"] = parsed(text)?.error ?? {
    code: "unexpected_response",
    message: `Unexpected response: ${text.slice(0, 200)}`,
  };
  const fields = (details?.fields ?? []).map(({ name, issue }) => `${name} ${issue}`);
  return new NodeApiError(context.getNode(), { code, message } satisfies JsonObject, {
    message,
    description: [code, ...fields].join("\n"),
    httpCode: String(statusCode),
    itemIndex: context.getItemIndex(),
  });
}

function parsed(text: string): ServiceError | undefined {
  try {
    return JSON.parse(text) as ServiceError;
  } catch {
    return undefined;
  }
}
