/**
 * `npm run measure -- bench [--only part] [--runs N] [--work text] [--json] [--input file-or-folder ...] [--corpus folder]`: measures the wall time
 * of every operation over HTTP on a warm server, and the memory that it takes. Beside it, the whole process of the program that a user would take
 * instead, if it is installed (qpdf, poppler, mupdf-tools, ghostscript, tesseract). The two run in turn, so that other load of the machine hits
 * both. A server of `npm start` is started (and for `operations` one of `npm run serve`), unless `$BASE_URL` and `$API_KEY` name one, whose memory
 * is not seen then. `--work split` measures only operations whose row contains the text. The parts:
 *
 * - `operations`, `pipeline`, `images`, `ocr`, and, on a corpus (`--corpus` or `$CORPUS_DIR`), `text` and `compress`: all that run without `--only`.
 *   `--input` adds PDFs, or those in a folder, to `operations`.
 * - `ocr-grid` reads every text, size, and resolution; with `--step N`, every Nth.
 * - `files` uploads and reads a file of 1 GiB.
 * - `jobs` recognizes a scanned book as a job, and computes what one costs with many consumers.
 * - `repair` looks at damaged files before and after.
 * - `verification` and `profile` (the CPU time of an operation by function) need a server of their own.
 * - `markdown` scores tables, facts, and headings, and `to-pdf` what converted documents have kept (`--output folder` keeps the PDFs), on documents
 *   that are not a part of the repository. With `--rendered folder`, `markdown` also scores documents that were set for it.
 *
 * What needs documents that are not there is left out, and named.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { benchCompress, printCompress } from "./compress.ts";
import { benchConversion, printConversion } from "./conversion.ts";
import { benchFiles, printFiles } from "./files.ts";
import { benchFromImages, printFromImages } from "./from-images.ts";
import { benchHeadings, printHeadings } from "./headings.ts";
import { benchImages, printImages } from "./images.ts";
import { benchJobs, printJobs } from "./jobs.ts";
import { benchMarkdown, printMarkdown } from "./markdown.ts";
import { benchOcr, printOcr } from "./ocr.ts";
import {
  benchDocuments,
  benchOperations,
  type MeasuredService,
  printDocuments,
  printOperations,
} from "./operations.ts";
import { benchOcrGrid, printOcrGrid } from "./ocr-grid.ts";
import { benchPipeline, printPipeline } from "./pipeline.ts";
import { benchProfile, printProfile } from "./profile.ts";
import { benchRepair, printRepair } from "./repair.ts";
import { startMeasuredServer } from "./server-process.ts";
import { benchText, printText } from "./text.ts";
import { benchVerification, printVerification } from "./verification.ts";
import { folderOrNote, outsideFolder, requireFolder } from "../scripts/outside-folders.ts";
import type { Service } from "../test/harness/requests/client.ts";

const DEFAULT_PORT = 8797;
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "15" },
    json: { type: "boolean", default: false },
    input: { type: "string", multiple: true, default: [] },
    corpus: { type: "string" },
    only: { type: "string" },
    step: { type: "string", default: "1" },
    work: { type: "string", default: "" },
    output: { type: "string" },
    rendered: { type: "string", multiple: true, default: [] },
  },
});
const runs = Number(values.runs);
const named = values.corpus ?? process.env["CORPUS_DIR"];
if (named !== undefined) requireFolder(named);
/** The corpus for a part that measures real documents only if they are named. */
const corpusFor = (part: string): string | undefined =>
  folderOrNote(named, `real documents of ${part}`, "a folder of PDFs: --corpus <folder>, or CORPUS_DIR");
const NOT_PUBLIC = "documents that are not a part of the repository";
const wanted = (part: "operations" | "pipeline" | "text" | "images" | "compress" | "ocr"): boolean =>
  values.only === undefined || values.only === part;

async function markdownRows(service: Service) {
  const folder = folderOrNote(outsideFolder("text-truth"), "tables and facts in Markdown", NOT_PUBLIC);
  return folder === undefined ? [] : benchMarkdown(service, folder, values.rendered);
}

async function headingsRows(service: Service) {
  const folder = folderOrNote(named ?? outsideFolder("corpus"), "headings in Markdown", "a folder of PDFs (--corpus)");
  return folder === undefined ? [] : benchHeadings(service, folder);
}

async function conversionRows(service: Service & { readonly pid?: number }) {
  const folder = folderOrNote(outsideFolder("convert"), "the quality of converted documents", NOT_PUBLIC);
  return benchConversion(service, folder, values.output, runs);
}

async function measure(service: Service & { readonly pid?: number }, services: readonly MeasuredService[]) {
  return {
    operations: wanted("operations") ? await benchOperations(services, runs, values) : [],
    documents: wanted("operations") ? await benchDocuments(services, runs, values) : undefined,
    pipeline: wanted("pipeline") ? await benchPipeline(service, runs) : [],
    text: wanted("text") ? await benchText(service, corpusFor("text"), runs) : [],
    fromImages: wanted("images") ? await benchFromImages(service, runs) : [],
    toImages: wanted("images") ? await benchImages(service, corpusFor("images"), runs) : [],
    compress: wanted("compress") ? await benchCompress(service, corpusFor("compress")) : [],
    ocr: wanted("ocr") ? await benchOcr(service, corpusFor("ocr"), Math.ceil(runs / 5)) : [],
    // It takes half an hour, so only where it is asked for.
    ocrGrid: values.only === "ocr-grid" ? await benchOcrGrid(service, Number(values.step)) : [],
    markdown: values.only === "markdown" ? await markdownRows(service) : [],
    headings: values.only === "markdown" ? await headingsRows(service) : [],
    repair: values.only === "repair" ? await benchRepair(service) : [],
    jobs: values.only === "jobs" ? await benchJobs(service) : [],
    verification:
      values.only === "verification" && own ? await benchVerification(own, runs, named ?? outsideFolder("corpus")) : [],
    profile: values.only === "profile" && own ? await benchProfile(own, runs, values) : [],
    conversion: values.only === "to-pdf" ? await conversionRows(service) : undefined,
    // It takes as much room on the disk.
    files: values.only === "files" ? await benchFiles(service) : [],
  };
}

const { BASE_URL: baseUrl, API_KEY: key } = process.env;
const own = baseUrl === undefined || key === undefined ? await startMeasuredServer(DEFAULT_PORT) : undefined;
// Only the operations, which have other programs beside them, are measured on both servers.
const second = own && wanted("operations") ? await startMeasuredServer(DEFAULT_PORT + 1, "serve") : undefined;
const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}`;
try {
  const service = own ?? { baseUrl: (baseUrl ?? "").replace(/\/$/, ""), key: key ?? "" };
  const rows = await measure(service, [
    { ...service, name: own ? "start" : service.baseUrl },
    ...(second ? [{ ...second, name: "serve" }] : []),
  ]);
  if (values.json) console.log(JSON.stringify({ date: new Date().toISOString(), machine, runs, ...rows }, null, 2));
  else {
    console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}, medians of ${runs} runs`);
    if (rows.operations.length > 0) printOperations(rows.operations);
    if (rows.documents !== undefined && rows.documents.documents > 0) printDocuments(rows.documents);
    if (rows.pipeline.length > 0) printPipeline(rows.pipeline);
    if (rows.repair.length > 0) printRepair(rows.repair);
    if (rows.verification.length > 0) printVerification(rows.verification);
    if (rows.profile.length > 0) printProfile(rows.profile);
    if (rows.files.length > 0) printFiles(rows.files);
    if (rows.jobs.length > 0) printJobs(rows.jobs);
    if (rows.text.length > 0) printText(rows.text);
    if (rows.fromImages.length > 0) printFromImages(rows.fromImages);
    if (rows.toImages.length > 0) printImages(rows.toImages);
    if (rows.compress.length > 0) printCompress(rows.compress);
    if (rows.ocr.length > 0) printOcr(rows.ocr);
    if (rows.markdown.length > 0) printMarkdown(rows.markdown);
    if (rows.headings.length > 0) printHeadings(rows.headings);
    if (rows.conversion !== undefined) printConversion(rows.conversion);
    if (rows.ocrGrid.length > 0) printOcrGrid(rows.ocrGrid);
  }
} finally {
  await own?.stop();
  await second?.stop();
}
