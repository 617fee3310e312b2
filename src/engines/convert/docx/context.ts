/** The objects that the writers of a document's text share. */
import type { Work } from "../../work.ts";
import type { Archive } from "../source/archive.ts";
import type { Relationship } from "../source/relationships.ts";
import type { ShownBudget } from "../source/shown.ts";
import type { Numbering } from "./numbering.ts";
import type { DrawingPlacement } from "./placement.ts";
import type { Styles } from "./styles.ts";

/** The objects that the body refers to. */
export interface Context {
  readonly work: Work;
  readonly archive: Archive;
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly notConverted: Set<string>;
  readonly shown: ShownBudget;
  /** Called where the text refers to a note. Returns its number. */
  readonly note: (kind: "footnote" | "endnote", id: string) => number | undefined;
  /** The width of the text in points. */
  readonly width: number;
  /** Whether it is a header or footer, with numbers of pages, tabs to their stops, and drawings at their places. */
  readonly isRunning: boolean;
  /** Drawings that are not in the text are added here. */
  readonly placed: PlacedHtml[];
  /** The size of text in points that is not written out. */
  readonly fontSize: number;
}

/** A drawing that is not in the text. `anchor`: the identifier of the element that it moves with. */
export interface PlacedHtml extends DrawingPlacement {
  readonly anchor: string;
  readonly html: string;
}
