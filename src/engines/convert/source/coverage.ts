/** The treatment of each element of a format by its reader, so that every loss is reported. */
import type { Work } from "../../work.ts";
import { elementsIn, type XmlElement } from "./xml.ts";

/** Names of elements, with spaces between them. Each is in one of the lists. */
interface CoverageLists {
  /** Their content is shown. */
  readonly kept: string;
  /** They have nothing that is shown on paper, by the reason. */
  readonly invisible: Readonly<Record<string, string>>;
  /** Elements whose content is lost, with its name in the reference. */
  readonly dropped: Readonly<Record<string, string>>;
}

/** `kept`, `invisible`, or the name of the loss. */
export type Fate = "kept" | "invisible" | (string & {});

/** The name of elements that no list has. */
const UNKNOWN = "unknown-elements";

export type ElementFates = ReadonlyMap<string, Fate>;

/** @throws Error if an element is in two lists. */
export function coverage({ kept, invisible, dropped }: CoverageLists): ElementFates {
  const lists: [Fate, string][] = [
    ["kept", kept],
    ...Object.values(invisible).map((names): [Fate, string] => ["invisible", names]),
    ...Object.entries(dropped),
  ];
  const fates = new Map<string, Fate>();
  for (const [fate, names] of lists) {
    for (const name of names.trim().split(/\s+/)) {
      if (fates.has(name)) throw new Error(`${name} is in two lists.`);
      fates.set(name, fate);
    }
  }
  return fates;
}

const ELEMENT_WORK = 60;

/**
 * Reports the losses of the elements below one. `special` decides for elements whose name is not enough.
 * @throws Refusal `limit_exceeded` (work)
 */
export async function nameLost(
  work: Work,
  root: XmlElement | undefined,
  fates: ElementFates,
  notConverted: Set<string>,
  special: (element: XmlElement) => string | undefined = () => undefined,
): Promise<void> {
  const open = elementsIn(root);
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    work.spend(ELEMENT_WORK);
    await work.pause();
    const fate = fates.get(element.name) ?? UNKNOWN;
    const lost = special(element) ?? (fate === "kept" || fate === "invisible" ? undefined : fate);
    if (lost !== undefined) notConverted.add(lost);
    if (fate !== "kept") continue;
    for (const child of elementsIn(element)) {
      // Of several forms, old readers get the last.
      if (child.name !== "Fallback" || element.children.length === 1) open.push(child);
    }
  }
}
