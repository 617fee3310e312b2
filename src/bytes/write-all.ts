/** Writes all chunks, and closes the stream; if that fails, aborts it and rejects. */
export async function writeAll(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  writable: WritableStream<Uint8Array>,
): Promise<void> {
  const writer = writable.getWriter();
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
}
