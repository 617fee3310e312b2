/** Flattens a document, in any state of its form. */
import { Refusal } from "../../errors.ts";
import type { LoadFont } from "../../fonts.ts";
import type { OpenPdf } from "../document/document.ts";
import { repairPageTree } from "../document/page-tree.ts";
import { fillForm } from "./fill.ts";
import { flatten, type Flattened } from "./flatten.ts";
import { type Filling, resolveFilling } from "./resolve-values.ts";

/**
 * Makes form fields and annotations part of their pages, fields without an appearance included. Returns whether a form is gone, with
 * the signatures that are fields of it.
 * @throws Refusal `unsupported_text`, `unsupported_form`, `limit_exceeded`
 */
export async function flattenDocument(open: OpenPdf, loadFont: LoadFont, what: Flattened): Promise<boolean> {
  await repairPageTree(open);
  const hasForm = what.forms && open.document.getTrailer().get("Root", "AcroForm").isDictionary();
  if (hasForm) await drawForm(open, loadFont);
  await flatten(open, what);
  return hasForm;
}

/**
 * Gives all fields of the form appearances that have none, or all of them if the form leaves drawing to viewers.
 * @throws Refusal `unsupported_text`, `unsupported_form`, `limit_exceeded`
 */
export async function drawForm(open: OpenPdf, loadFont: LoadFont): Promise<void> {
  const form = await readForm(open);
  if (form) await fillForm(open, loadFont, form, true);
}

/** The form, with nothing to fill in; undefined if it has no fields. */
async function readForm(open: OpenPdf): Promise<Filling | undefined> {
  try {
    return await resolveFilling(open, new Map(), { strict: false, booleanIn: () => undefined });
  } catch (error) {
    if (error instanceof Refusal && error.code === "no_form") return undefined;
    throw error;
  }
}
