/**
 * The walk over the trees of a document, with its guards. Each object is visited once, so cycles end; nodes and levels are limited; every
 * listed object takes fuel, and the walk yields to other requests. Each tree defines its nodes and their branches.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { loadOf } from "../objects/load.ts";
import { counted, entryCounter, objectNumber } from "../objects/objects.ts";

/** Fuel per object that a tree lists, in addition to the work on it. */
const NODE_WORK = 200;

/** A document whose trees are read. */
export interface TreeSource {
  readonly engine: PdfEngine;
  readonly document: PDFDocument;
}

export interface TreeNode<Node> {
  readonly object: PDFObject;
  /** Object number; 0 for a direct object. */
  readonly number: number;
  readonly parent: Node | undefined;
  /** 0 for the nodes at the top. */
  readonly depth: number;
  /** Its place in its branch. */
  readonly index: number;
}

/** Objects of a tree that have one parent. Each is looked up when the walk comes to it. */
export interface Branch<Node> {
  readonly parent: Node | undefined;
  readonly length: number;
  readonly at: (index: number) => PDFObject;
}

/** The objects of an array; none for any other object. */
export function branchOf<Node>(array: PDFObject, parent?: Node): Branch<Node> {
  return { parent, length: array.isArray() ? counted(array.length) : 0, at: (index) => array.get(index) };
}

export function branchOfList<Node>(list: readonly PDFObject[], parent?: Node): Branch<Node> {
  return { parent, length: list.length, at: (index) => list[index] as PDFObject };
}

/** The objects of a branch, in order. */
export async function* eachOf({ work }: PdfEngine, { length, at }: Branch<unknown>): AsyncGenerator<PDFObject, void> {
  for (let index = 0; index < length; index++) {
    work.spend(NODE_WORK);
    await work.pause();
    yield at(index);
  }
}

/** The dictionaries in an array, present. The place of anything else in it means nothing. */
export async function dictionariesIn(engine: PdfEngine, array: PDFObject): Promise<PDFObject[]> {
  const load = loadOf(engine);
  const list: PDFObject[] = [];
  for await (const object of eachOf(engine, branchOf(await load(array))))
    if ((await load(object)).isDictionary()) list.push(object);
  return list;
}

interface TreeKind {
  /** Names it in errors. */
  readonly tree: string;
  /** Nodes below this level are ignored. */
  readonly deepest: number;
  /** Whether an object is what the node above it has, and no node itself: it is visited wherever it is listed, and does not count. */
  readonly isContent?: (object: PDFObject) => boolean;
}

/**
 * Visits the nodes of a tree in order, each before those below it. The consumer may change a node that it was given: `read` has been called.
 * @param read makes a node of a dictionary, and names the next branches to visit: the last branch first
 * @throws Refusal `limit_exceeded` beyond `limits.treeEntries`
 */
export async function* walkTree<Node extends TreeNode<Node>>(
  engine: PdfEngine,
  { tree, deepest, isContent }: TreeKind,
  top: Branch<Node>,
  read: (place: TreeNode<Node>) => Promise<{ readonly node: Node; readonly branches: readonly Branch<Node>[] }>,
): AsyncGenerator<Node, void> {
  const load = loadOf(engine);
  const count = entryCounter(tree);
  const seen = new Set<number>();
  const pending = [{ branch: top, next: 0 }];
  for (let place = pending.at(-1); place; place = pending.at(-1)) {
    const { parent, length, at } = place.branch;
    const index = place.next++;
    if (place.next >= length) pending.pop();
    if (index >= length) continue;
    engine.work.spend(NODE_WORK);
    await engine.work.pause();
    const object = at(index);
    const number = objectNumber(object);
    const depth = parent === undefined ? 0 : parent.depth + 1;
    if (seen.has(number)) continue;
    await load(object);
    if (isContent?.(object) !== true) {
      if (depth > deepest || !object.isDictionary()) continue;
      if (number > 0) seen.add(number);
      count();
    }
    const { node, branches } = await read({ object, number, parent, depth, index });
    yield node;
    for (const branch of branches) pending.push({ branch, next: 0 });
  }
}
