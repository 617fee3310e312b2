/** Resolves the client's values for a form before anything is changed. */
import type { OpenPdf } from "../document/document.ts";
import { type TerminalField, pagesOfWidgets, readFormTree } from "./tree.ts";
import { type BooleanIn, type FieldValue, type RequestedValue, type Problem, resolveValue } from "./values.ts";
import { objectNumber } from "../objects/objects.ts";
import { FormTexts } from "./options.ts";
import { fieldsUnknown, formIsXfa, noForm, valuesInvalid } from "../../parameter-errors.ts";

/** Fuel per widget whose states are read. */
const WIDGET_WORK = 200;

/** A form and the values to fill in. */
export interface Filling {
  readonly fields: readonly { readonly node: TerminalField; readonly value: FieldValue }[];
  /** Names given by the client that the form does not have. */
  readonly unknown: readonly string[];
  readonly nodes: readonly TerminalField[];
  readonly texts: FormTexts;
}

/**
 * Reads the form and resolves the values for it. Changes nothing.
 * @throws Refusal `no_form`; `unsupported_form`; `invalid_parameters` with all values that their fields do not accept;
 *   `unknown_fields` if `strict`
 */
export async function resolveFilling(
  open: OpenPdf,
  values: ReadonlyMap<string, RequestedValue>,
  { strict, booleanIn }: { readonly strict: boolean; readonly booleanIn: BooleanIn },
): Promise<Filling> {
  const texts = new FormTexts(open.engine);
  const nodes = await formOf(open, texts);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const fields: { node: TerminalField; value: FieldValue }[] = [];
  const problems = new Map<string, Problem>();
  const unknown: string[] = [];
  for (const [name, given] of values) {
    const node = byName.get(name);
    if (!node) {
      unknown.push(name);
      continue;
    }
    open.engine.work.spend(WIDGET_WORK * (1 + node.widgets.length));
    await open.engine.work.pause();
    const value = resolveValue(node, given, { engine: open.engine, texts, booleanIn });
    if ("issue" in value) problems.set(name, value);
    else fields.push({ node, value });
  }
  if (problems.size > 0) throw valuesInvalid(problems);
  if (strict && unknown.length > 0) {
    throw fieldsUnknown(
      unknown,
      nodes.map(({ name }) => name),
    );
  }
  return { fields, unknown, nodes, texts };
}

async function formOf(open: OpenPdf, texts: FormTexts): Promise<TerminalField[]> {
  const form = open.document.getTrailer().get("Root", "AcroForm");
  const hasXfa = form.isDictionary() && !form.get("XFA").isNull();
  const nodes = form.isDictionary() ? await readFormTree(open, texts) : [];
  if (nodes.length === 0 && !hasXfa) throw noForm();
  // A pure XFA form is rendered by its viewer; its pages have no widgets.
  const pages = hasXfa ? await pagesOfWidgets(open) : undefined;
  if (pages && !nodes.some(({ widgets }) => widgets.some((widget) => pages.has(objectNumber(widget)))))
    throw formIsXfa();
  return nodes;
}
