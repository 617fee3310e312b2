import {
  type IExecuteSingleFunctions,
  type IHttpRequestMethods,
  type IN8nHttpFullResponse,
  type JsonObject,
  NodeApiError,
} from "n8n-workflow";

interface Call {
  readonly method: IHttpRequestMethods;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body?: string | Buffer;
  readonly type?: string;
}

/** Sends a request that is not the node's own. Throws the service's error. */
export async function callService(
  context: IExecuteSingleFunctions,
  { method, path, body, type }: Call,
): Promise<IN8nHttpFullResponse> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>("pdfServiceApi");
  const response = (await context.helpers.httpRequestWithAuthentication.call(context, "pdfServiceApi", {
    method,
    url: `${baseUrl.replace(/\/+$/, "")}/api/v1${path}`,
    encoding: "arraybuffer",
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    ...(body !== undefined && { body }),
    ...(type !== undefined && { headers: { "Content-Type": type } }),
  })) as IN8nHttpFullResponse;
  if (response.statusCode >= 400) throw errorOf(context, response);
  return response;
}

export const bytesOf = ({ body }: IN8nHttpFullResponse): Buffer => Buffer.from(body as ArrayBuffer);

export const jsonOf = <T>(response: IN8nHttpFullResponse): T => JSON.parse(bytesOf(response).toString("utf8")) as T;

interface ServiceError {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: { readonly fields?: readonly { readonly name: string; readonly issue: string }[] };
  };
}

/** The error in a response. */
export function errorOf(context: IExecuteSingleFunctions, response: IN8nHttpFullResponse): NodeApiError {
  const text = bytesOf(response).toString("utf8");
  const { code, message, details }: ServiceError["error"] = parsed(text)?.error ?? {
    code: "unexpected_response",
    message: `Unexpected response: ${text.slice(0, 200)}`,
  };
  const fields = (details?.fields ?? []).map(({ name, issue }) => `${name} ${issue}`);
  return new NodeApiError(context.getNode(), { code, message } satisfies JsonObject, {
    message,
    description: [code, ...fields].join("\n"),
    httpCode: String(response.statusCode),
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
