/** Deflates bytes (zlib format, RFC 1950) with the platform's own zlib, at its default level. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Deflates chunks (zlib format, RFC 1950) with the platform's own zlib while they are produced. When it ends, for any reason, no chunk is still being
 * produced.
 */
export async function* deflated(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const { readable, writable } = new CompressionStream("deflate");
  const fed = feed(chunks, writable.getWriter());
  // The error is reported where the promise is awaited.
  fed.catch(() => {});
  const reader = readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    await fed;
  } catch (error) {
    // The stream rethrows a copy of an error, which has lost its class.
    await fed;
    throw error;
  } finally {
    await reader.cancel().catch(() => {});
    await fed.catch(() => {});
  }
}

async function feed(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    writer.abort(error).catch(() => {});
    throw error;
  }
}
