/** Where a file comes from. A stream is sent as it is read, and such a call cannot be repeated. */
export type FileSource = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

/** A file, with its name where that is wanted: results are named after it. A `File` has one of its own. */
export type FileInput = FileSource | { readonly data: FileSource; readonly name: string };

/** The value of a field as it is sent: text, or a file. */
export type FieldValue = string | { readonly source: FileSource; readonly name: string };

/** A body, made anew for each try. */
export interface Body {
  readonly repeatable: boolean;
  make(): {
    readonly body: FormData | ReadableStream<Uint8Array> | string;
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

/** multipart/form-data (RFC 7578). With a stream among the files it is written as it goes, and its length is not known. */
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

/** What is no stream, as a blob. Bytes in memory that threads share, which the type leaves open, are none that a blob takes. */
const blobOf = (source: FileSource): Blob => new Blob([source as Blob | Uint8Array<ArrayBuffer>]);

/** As browsers write a name in a form (HTML, multipart/form-data encoding algorithm). */
const escaped = (name: string): string => name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
