/** The content of a file. A stream is sent while it is read, so the request cannot be retried. */
export type FileSource = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

/** A file, optionally with a name, which results are named after. A `File` has its own. */
export type FileInput = FileSource | { readonly data: FileSource; readonly name: string };

/** The value of a field: text, or a file. */
export type FieldValue = string | { readonly source: FileSource; readonly name: string };

/** A body, made again for each attempt. */
export interface Body {
  readonly repeatable: boolean;
  make(): {
    readonly body: FormData | ReadableStream<Uint8Array> | Blob | Uint8Array | string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

const isSource = (value: unknown): value is FileSource =>
  value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value) || value instanceof ReadableStream;

export function fileValue(input: FileInput, fallbackName: string): FieldValue {
  if (!isSource(input)) return { source: input.data, name: input.name };
  const own = input instanceof Blob && "name" in input && typeof input.name === "string" ? input.name : undefined;
  return { source: input, name: own ?? fallbackName };
}

/** multipart/form-data (RFC 7578). If one of the files is a stream, the body is streamed too, and its length is unknown. */
export function formBody(fields: readonly (readonly [string, FieldValue])[]): Body {
  const streamed = fields.some(([, value]) => typeof value !== "string" && value.source instanceof ReadableStream);
  if (!streamed) {
    return {
      repeatable: true,
      make() {
        const form = new FormData();
        for (const [name, value] of fields) {
          if (typeof value === "string") form.append(name, value);
          else form.append(name, blobOf(value.source), value.name);
        }
        return { body: form, headers: {} };
      },
    };
  }
  return {
    repeatable: false,
    make() {
      const boundary = `----${crypto.randomUUID()}`;
      const parts = writeParts(fields, boundary);
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value, done } = await parts.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        async cancel(reason) {
          await parts.throw(reason).catch(() => {});
        },
      });
      return { body, headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` } };
    },
  };
}

async function* writeParts(
  fields: readonly (readonly [string, FieldValue])[],
  boundary: string,
): AsyncGenerator<Uint8Array, void> {
  const text = new TextEncoder();
  for (const [name, value] of fields) {
    const disposition = `Content-Disposition: form-data; name="${escaped(name)}"`;
    if (typeof value === "string") {
      yield text.encode(`--${boundary}\r\n${disposition}\r\n\r\n${value}\r\n`);
      continue;
    }
    yield text.encode(
      `--${boundary}\r\n${disposition}; filename="${escaped(value.name)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    );
    const { source } = value;
    const stream = source instanceof ReadableStream ? source : blobOf(source).stream();
    const reader = stream.getReader();
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    } finally {
      await reader.cancel().catch(() => {});
    }
    yield text.encode("\r\n");
  }
  yield text.encode(`--${boundary}--\r\n`);
}

/** Anything but a stream, as a blob. The type allows bytes in shared memory, which a blob does not accept. */
export const blobOf = (source: FileSource): Blob =>
  source instanceof Blob ? source : new Blob([source as Uint8Array<ArrayBuffer>]);

/** A name as browsers write it (HTML, multipart/form-data encoding algorithm). */
const escaped = (name: string): string => name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
