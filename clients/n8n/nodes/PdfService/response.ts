import type { IDataObject, IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from "n8n-workflow";
import { facts } from "./operations";
import { bytesOf, callService, errorOf, jsonOf } from "./service";

/** Makes an item of a response: JSON of JSON, and a binary field `data` of a file. Throws the service's error. */
export async function readResult(
  this: IExecuteSingleFunctions,
  _items: INodeExecutionData[],
  first: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
  if (first.statusCode >= 400) throw errorOf(this, first);
  const response = first.statusCode === 202 ? await resultOfJob(this, jsonOf<Job>(first)) : first;
  const { headers } = response;
  const bytes = bytesOf(response);
  const type = textOf(headers["content-type"]) ?? "application/octet-stream";
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

interface Job {
  readonly id: string;
  readonly status: string;
}

/** Seconds that the service may hold back a response for the end of a job: its maximum. */
const LONGEST_WAIT = 30;

/** Waits for the end of a job. Returns its result, or throws its error. */
async function resultOfJob(context: IExecuteSingleFunctions, { id, status }: Job): Promise<IN8nHttpFullResponse> {
  let state = status;
  while (state === "queued" || state === "running") {
    const response = await callService(context, { method: "GET", path: `/jobs/${id}?wait=${LONGEST_WAIT}` });
    ({ status: state } = jsonOf<Job>(response));
  }
  return callService(context, { method: "GET", path: `/jobs/${id}/result` });
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** RFC 6266. */
function fileNameOf(disposition: string): string | undefined {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, "$1");
}
