/**
 * `npm run measure -- bench [--runs N] [--work text] [--json] [--input file-or-folder ...] [--corpus folder] [--only operations|pipeline|text|images|compress|ocr|markdown|ocr-grid|files|jobs|repair|verification|profile|to-pdf]`: wall
 * time of every operation over HTTP on a warm server, beside the whole process of the program that a user would take instead,
 * where that is installed (qpdf, poppler, mupdf-tools, ghostscript, tesseract), and the memory it takes. Then, on a corpus
 * (`$CORPUS_DIR` where none is named): how right extract-text and ocr are, how large the images and compressed files. Both run in
 * turn, so that what else the machine does hits both. `--input` measures PDFs that somebody has, or those in a folder, beside the documents that this makes. A server of
 * `npm start` is started, and for the operations one of `npm run serve`, too, unless `$BASE_URL` and `$API_KEY` name one, whose
 * memory is not seen then. `--only ocr-grid` reads every text, size and resolution, with `--step N` every Nth. `--only files` uploads and reads a
 * file of 1 GiB. `--work split` measures only those operations whose row contains the text. `--only markdown` scores tables and facts on `../shared/text-truth`, by the half of the documents that may be looked at and the one that only this sees, with `--rendered folder` also the documents that its `rendered/render.mjs` has set there, and headings on the corpus or `../shared/corpus`, where they are. `--only jobs` recognizes a scanned book as a job, and computes what one costs with many consumers. `--only verification` and `--only profile`, which prints the CPU time of each operation by function, need a server of their own. `--only to-pdf` converts the documents in `../shared/convert` and looks in the PDFs for what pandoc reads in them; `--output folder` keeps the PDFs.
 */
import { existsSync } from "node:fs";
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
import { folderOrNote, outsideFolder } from "../scripts/outside-folders.ts";
import type { Service } from "../test/harness/client.ts";

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
if (named !== undefined && !existsSync(named)) throw new Error(`There is no folder ${named}.`);
/** The corpus for a part that measures real documents only if they are named. */
const corpusFor = (part: string): string | undefined =>
  folderOrNote(named, `real documents of ${part}`, "a folder of PDFs: --corpus <folder>, or CORPUS_DIR");
const NOT_PUBLIC = "documents that are not a part of the repository";
const wanted = (part: "operations" | "pipeline" | "text" | "images" | "compress" | "ocr"): boolean =>
  values.only === undefined || values.only === part;

async function measure(service: Service, services: readonly MeasuredService[]) {
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
// The other server that people run: only what is measured beside other programs is measured on both.
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
