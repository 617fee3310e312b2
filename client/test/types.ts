/**
 * Calls that compile, and calls that the service would refuse, which do not. `npm run check` compiles this against the source, and
 * test/e2e/client-package.test.ts against the package, with TypeScript 5.4 too.
 */
import {
  type FailureCode,
  type FileInput,
  type FileReference,
  type FileResult,
  type JobHandle,
  type JsonResult,
  type MergeInput,
  PdfService,
  type Result,
  type WebhookEvent,
} from "../src/index.ts";

const file: FileInput = new Blob([]);
const pdf = new PdfService({ baseUrl: "https://pdf.example.com" });

/** Fails to compile unless the value has just this type. */
function is<T>() {
  type Same<U> = (<X>() => X extends T ? 1 : 2) extends <X>() => X extends U ? 1 : 2 ? unknown : never;
  return <U>(value: U & Same<U>): void => void value;
}

export async function accepted(): Promise<void> {
  await pdf.merge({ files: [file, "file_1", { data: new Uint8Array(1), name: "b.pdf" }], title: undefined });
  await pdf.split({ file, mode: "ranges", ranges: "1|2-end" });
  await pdf.split({ file, mode: "chunks", chunkSize: 2 });
  await pdf.split({ file, mode: "pages" });
  await pdf.rotate({ file, angle: 90, pages: "odd" });
  await pdf.rotate({ file, rotations: { 1: 90 } });
  await pdf.watermark({ file, kind: "text", text: "DRAFT", color: "#c00", position: "diagonal", tile: true });
  await pdf.watermark({ file, kind: "image", image: file, scale: 0.2, position: "top-left", tile: false });
  await pdf.protect({ file, ownerPassword: "secret" });
  await pdf.sign({ file, mode: "type", typedName: "Ada", field: { page: 1, x: 0, y: 0, width: 90, height: 30 } });
  await pdf.metadata({ file, action: "set", metadata: { title: null }, replace: true });
  await pdf.toImages({ file, format: "png", quality: 90 });
  await pdf.crop({ file, margins: 36, auto: false });
  await pdf.attachments({ file, action: "add", attachment: file });
}

export async function refused(): Promise<void> {
  // @ts-expect-error: a merge has files.
  await pdf.merge({});
  // @ts-expect-error: there is no such parameter.
  await pdf.merge({ files: [file], tilte: "A" });
  // @ts-expect-error: `ranges` is required.
  await pdf.split({ file, mode: "ranges" });
  // @ts-expect-error: `chunkSize` only applies to chunks.
  await pdf.split({ file, mode: "pages", chunkSize: 2 });
  // @ts-expect-error: neither `angle` nor `rotations`.
  await pdf.rotate({ file });
  // @ts-expect-error: `pages` are for `angle`.
  await pdf.rotate({ file, rotations: { 1: 90 }, pages: "2" });
  // @ts-expect-error: the angle is one of four.
  await pdf.rotate({ file, angle: 45 });
  // @ts-expect-error: the text is required.
  await pdf.watermark({ file, kind: "text" });
  // @ts-expect-error: an image has no color.
  await pdf.watermark({ file, kind: "image", image: file, color: "#c00" });
  // @ts-expect-error: tiles have no corner.
  await pdf.watermark({ file, kind: "text", text: "DRAFT", position: "top-left", tile: true });
  // @ts-expect-error: no password.
  await pdf.protect({ file });
  // @ts-expect-error: a typed signature has no image.
  await pdf.sign({ file, mode: "type", signatureImage: file, field: { page: 1, x: 0, y: 0, width: 90, height: 30 } });
  // @ts-expect-error: the new metadata is required.
  await pdf.metadata({ file, action: "set" });
  // @ts-expect-error: nothing is changed by `get`.
  await pdf.metadata({ file, action: "get", metadata: {} });
  // @ts-expect-error: words are part of the JSON.
  await pdf.ocr({ file, output: "pdf", words: true });
  // @ts-expect-error: a box or margins, not both.
  await pdf.crop({ file, margins: 36, box: { x: 0, y: 0, width: 90, height: 90 } });
  // @ts-expect-error: no box, margins, or `auto`.
  await pdf.crop({ file, auto: false });
  // @ts-expect-error: the attachment to add is required.
  await pdf.attachments({ file, action: "add" });
  // @ts-expect-error: the range is required.
  pdf.pipeline(file).extractPages({});
  // @ts-expect-error: `ranges` is required.
  pdf.pipeline(file).split({ mode: "ranges" });
}

export async function results(): Promise<void> {
  const read = await pdf.extractText({ file });
  is<number>()(read.data.stats.wordCount);
  const compressed = await pdf.compress({ file });
  is<FileResult>()(compressed);
  is<number | undefined>()(compressed.outputSize);
  const recognized = await pdf.ocr({ file, languages: "deu" });
  is<number>()(recognized.data.meanConfidence);
  const searchable = await pdf.ocr({ file, output: "pdf" });
  is<FileResult>()(searchable);
  is<number | undefined>()(searchable.meanConfidence);
  // @ts-expect-error: the result is a file.
  is<string>()(searchable.data);
  is<number>()((await pdf.metadata({ file, action: "get" })).data.pageCount);
  const either = await pdf.ocr({ file, output: Math.random() < 0.5 ? "pdf" : "json" });
  is<string>()("data" in either ? either.data.text : either.fileName);

  const job = await pdf.jobs.metadata({ file, action: "set", metadata: {} });
  is<JobHandle<FileResult>>()(job);
  is<JobHandle<Result>>()(await pdf.openJob("job_1"));
  const { data } = await pdf.pipeline(file).rotate({ angle: 90 }).compress().ocr({ output: "json" }).run();
  is<string>()(data.text);
  const read1: JsonResult<{ readonly text: string }> = await pdf.pipeline(file).extractText({ words: true }).run();
  is<string>()(read1.data.text);
}

export function types(code: FailureCode, event: WebhookEvent): void {
  is<readonly (FileInput | FileReference)[]>()<MergeInput["files"]>([]);
  if (event.type === "key.created") is<string>()(event.data.lastFour);
  // @ts-expect-error: there is no such code.
  if (code === "no_such_code") throw new Error(code);
}
