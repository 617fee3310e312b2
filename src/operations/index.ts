import { crop } from "./crop.ts";
import { archive } from "./archive.ts";
import { attachments } from "./attachments.ts";
import { compress } from "./compress.ts";
import { addPageNumbers } from "./add-page-numbers.ts";
import type { Operation } from "./definition/define.ts";
import { deletePages } from "./delete-pages.ts";
import { extractPages } from "./extract-pages.ts";
import { extractText } from "./extract-text.ts";
import { fillForm } from "./fill-form.ts";
import { flatten } from "./flatten.ts";
import { fromImages } from "./from-images.ts";
import { invoice } from "./invoice.ts";
import { merge } from "./merge.ts";
import { metadata } from "./metadata.ts";
import { nUp } from "./n-up.ts";
import { ocr } from "./ocr.ts";
import { outline } from "./outline.ts";
import { protect } from "./protect.ts";
import { redact } from "./redact.ts";
import { repair } from "./repair.ts";
import { rotate } from "./rotate.ts";
import { seal } from "./seal.ts";
import { sign } from "./sign.ts";
import { split } from "./split.ts";
import { toImages } from "./to-images.ts";
import { toPdf } from "./to-pdf.ts";
import { unlock } from "./unlock.ts";
import { validate } from "./validate.ts";
import { verifySignatures } from "./verify-signatures.ts";
import { watermark } from "./watermark.ts";

/**
 * The registry: an operation's route, validation, reference, usage, clients, and place in every list derive from its line here. Lists have the
 * groups in the order of their first operations.
 */
export const operations: readonly Operation[] = [
  merge,
  split,
  extractPages,
  deletePages,
  rotate,
  crop,
  nUp,
  outline,
  toPdf,
  toImages,
  fromImages,
  archive,
  extractText,
  ocr,
  invoice,
  watermark,
  addPageNumbers,
  sign,
  seal,
  verifySignatures,
  fillForm,
  flatten,
  metadata,
  attachments,
  protect,
  unlock,
  redact,
  compress,
  repair,
  validate,
];
