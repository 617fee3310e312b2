/** State of a document while content is erased from it. */
import { setsPattern } from "../content/operator-table.ts";
import { process, type Run, type Visitor } from "../content/processor.ts";
import { type Content, forEachContent, readStreams } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { objectNumber } from "../objects/objects.ts";
import { Fonts } from "../fonts/metrics.ts";

/** Fuel per operator. */
const OPERATOR_WORK = 20;

export class Eraser {
  readonly fonts: Fonts;
  /** Object numbers that content no longer draws, or draws a changed copy of. */
  readonly replaced = new Set<number>();
  /** The images and masks whose pixels were overwritten, by number, with the quality of those that were JPEG. */
  readonly blanked = new Map<number, number | undefined>();

  constructor(open: OpenPdf) {
    this.fonts = new Fonts(open);
  }
}

/**
 * Replaced objects that are now drawn nowhere: forms, images, shadings, patterns, and graphics states. Resources that several pages share or inherit
 * still name them.
 */
export async function drawnNowhere(open: OpenPdf, { replaced }: Eraser): Promise<number[]> {
  if (replaced.size === 0) return [];
  /** The drawn objects, by the number of a form that was replaced. */
  const inReplaced = new Map<number, Set<number>>();
  const drawn = new Set<number>();
  await forEachContent(open, async (content) => {
    const number = objectNumber(content.owner);
    const isReplaced = content.kind !== "page" && replaced.has(number);
    const found = await namedBy(open, content);
    if (isReplaced) inReplaced.set(number, found);
    else for (const one of found) drawn.add(one);
  });
  const pending = [...drawn];
  for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
    for (const inner of inReplaced.get(number) ?? []) {
      if (drawn.has(inner)) continue;
      drawn.add(inner);
      pending.push(inner);
    }
  }
  return [...replaced].filter((number) => !drawn.has(number));
}

/** Numbers of the objects that content draws or paints with. */
async function namedBy(open: OpenPdf, { streams, resources }: Content): Promise<Set<number>> {
  const found = new Set<number>();
  const seen = new Set<string>();
  /** The name in the last operand of an operator (ISO 32000-2, 7.8.3). */
  const note = (category: string, { operators }: Run): void => {
    const name = operators.name(operators.count - 1);
    if (name === undefined || seen.has(`${category} ${name}`)) return;
    seen.add(`${category} ${name}`);
    const object = resources.get(category, name);
    for (const one of [object, object.get("SMask", "G"), object.get("Shading")]) found.add(objectNumber(one));
  };
  const visitor: Visitor = {
    keeps: [],
    operatorWork: OPERATOR_WORK,
    draw: (run) => note("XObject", run),
    shade: (run) => note("Shading", run),
    parameters: (run) => note("ExtGState", run),
    color: (run) => {
      if (setsPattern(run.operators.operator)) note("Pattern", run);
    },
  };
  const { bytes } = await readStreams(open, streams);
  await process(bytes, visitor, open.engine.work);
  return found;
}
