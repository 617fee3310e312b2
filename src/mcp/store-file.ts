import { errorOf, type Json, type ToolCall } from "./tool.ts";
import { resultBrokeOff } from "./errors.ts";

/** The facts of a file before it is stored. */
export interface FileToStore {
  readonly name: string;
  /** In bytes, if it is known. */
  readonly length: number | undefined;
  /** How long it is kept. */
  readonly expiresIn: unknown;
}

/** A file of the account, as the API returns it. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly contentType: string | null;
  readonly expiresAt: string;
}

/**
 * Stores a file of the account while its bytes arrive, by the same request as any upload. Throws its errors (`forbidden`,
 * `limit_reached`, `overloaded`), and those of `chunks`.
 */
export async function storeFile(
  call: ToolCall,
  { name, length, expiresIn }: FileToStore,
  chunks: AsyncIterable<Uint8Array>,
): Promise<StoredFile> {
  const boundary = crypto.randomUUID();
  const [head, tail] = around(boundary, name, expiresIn);
  const total = length === undefined ? undefined : head.length + length + tail.length;
  const { readable, writable } = total === undefined ? new IdentityTransformStream() : new FixedLengthStream(total);
  const writer = writable.getWriter();
  let broken: unknown;
  const write = async (): Promise<void> => {
    await writer.write(head);
    try {
      for await (const chunk of chunks) await writer.write(chunk);
    } catch (error) {
      broken = error;
      throw error;
    }
    await writer.write(tail);
    await writer.close();
  };
  const written = write().catch((error: unknown) => writer.abort(error).catch(() => {}));
  const response = await call.send("POST", "/files", {
    body: readable,
    headers: {
      "Content-Type": `multipart/form-data; boundary=${boundary}`,
      ...(total !== undefined && { "Content-Length": String(total) }),
    },
  });
  if (!response.ok) {
    const error = await errorOf(response);
    // The upload ended early because the result did.
    if (broken instanceof Error && error.code === "invalid_parameters") throw resultBrokeOff(broken);
    throw error;
  }
  await written;
  return response.json<StoredFile & Json>();
}

/** A form of the file and how long it is kept (RFC 7578): what comes before its bytes and after them. */
function around(boundary: string, name: string, expiresIn: unknown): [Uint8Array, Uint8Array] {
  // A backslash would begin an escape; in a file name, it ends a folder.
  const escaped = name.replaceAll("\\", "/").replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const field = `--${boundary}\r\nContent-Disposition: form-data; name="expiresIn"\r\n\r\n${String(expiresIn)}\r\n`;
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped}"\r\n\r\n`;
  const encoder = new TextEncoder();
  return [
    encoder.encode(`${(expiresIn ?? undefined) === undefined ? "" : field}${file}`),
    encoder.encode(`\r\n--${boundary}--\r\n`),
  ];
}
