import { useRef, useState } from "preact/hooks";
import { readMembers, writeMembers } from "../json-input.tsx";
import { PageGrid } from "./page-grid.tsx";
import { between, cutsIn, pagesIn, textOf, textOfCuts, textOfSet } from "./page-selection.ts";
import type { PDFDocumentProxy } from "./pdfjs.ts";

interface Text {
  readonly value: string;
  readonly change: (text: string) => void;
}

interface Props extends Text {
  readonly document: PDFDocumentProxy;
  readonly name: string;
  /** The pages that are meant where nothing is chosen. */
  readonly byDefault: string;
  /** The degrees clockwise of single pages, as JSON, where they can be set. */
  readonly rotations?: Text | undefined;
}

/** The pages of a set: a click chooses one, and a click with Shift all up to it. Turns them where they can be turned. */
export function PageSet({ document, name, value, byDefault, change, rotations }: Props) {
  const { numPages } = document;
  const anchor = useRef(0);
  const isExplicit = value.trim() !== "" && value !== byDefault;
  const chosen = new Set(isExplicit ? pagesIn(value, numPages) : []);
  const set = (pages: Iterable<number>): void => {
    const next = new Set(pages);
    change(next.size === 0 ? byDefault : textOfSet(next, numPages));
  };
  const press = (index: number, extend: boolean): void => {
    const page = index + 1;
    const from = anchor.current;
    anchor.current = index;
    if (extend) set([...chosen, ...between(from + 1, page)]);
    else set(chosen.has(page) ? [...chosen].filter((one) => one !== page) : [...chosen, page]);
  };
  const all = between(1, numPages);
  const turned = readMembers(rotations?.value ?? "") ?? {};
  const rotationOf = (page: number): number => Number(turned[String(page)] ?? 0);
  const turn = (pages: readonly number[], degrees: number): void => {
    const next = pages.map((page) => [String(page), (rotationOf(page) + degrees + 360) % 360 || undefined]);
    rotations?.change(writeMembers({ ...turned, ...Object.fromEntries(next) }));
  };
  const turnChosen = (degrees: number): void => turn(chosen.size > 0 ? [...chosen] : all, degrees);
  return (
    <div class="page-chooser">
      <div class="row wrap">
        <span class="quiet grow" role="status">
          {chosen.size > 0
            ? `${chosen.size} of ${numPages} pages`
            : `${isExplicit ? "No page is in this range" : numPages === 1 ? "The only page" : `All ${numPages} pages`}. Click pages to choose some.`}
        </span>
        <span class="actions">
          {rotations && (
            <>
              <button type="button" class="plain" onClick={() => turnChosen(-90)}>
                ↺ Turn left
              </button>
              <button type="button" class="plain" onClick={() => turnChosen(90)}>
                ↻ Turn right
              </button>
            </>
          )}
          <button type="button" class="plain" onClick={() => set(all.filter((page) => page % 2 === 1))}>
            Odd
          </button>
          <button type="button" class="plain" onClick={() => set(all.filter((page) => page % 2 === 0))}>
            Even
          </button>
          <button type="button" class="plain" onClick={() => set(all.filter((page) => !chosen.has(page)))}>
            Invert
          </button>
          <button type="button" class="plain" onClick={() => set([])}>
            All
          </button>
        </span>
      </div>
      <PageGrid
        document={document}
        label={`Pages for ${name}`}
        items={all}
        isSelected={(index) => chosen.has(index + 1)}
        rotation={rotationOf}
        press={press}
        {...(rotations && { keys: { r: (index) => turn([index + 1], 90), R: (index) => turn([index + 1], -90) } })}
      />
      {rotations && <p class="quiet">On the keyboard, press R to turn a page right, and Shift+R to turn it left.</p>}
    </div>
  );
}

/** The pages of a single set of rotations, where no range goes with them. */
export function TurnedPages(props: Omit<Props, "value" | "change" | "byDefault">) {
  const [range, setRange] = useState("");
  return <PageSet {...props} value={range} change={setRange} byDefault="" />;
}

/** Pages in an order: chosen in one grid, put into order in another. */
export function PageOrder({ document, name, value, change }: Omit<Props, "byDefault" | "rotations">) {
  const { numPages } = document;
  const anchor = useRef(0);
  const order = value.trim() === "" ? [] : (pagesIn(value, numPages) ?? []);
  const set = (pages: readonly number[]): void => change(textOf(pages));
  const press = (index: number, extend: boolean): void => {
    const page = index + 1;
    const from = anchor.current;
    anchor.current = index;
    const added = extend ? between(from + 1, page).filter((one) => !order.includes(one)) : [page];
    set(!extend && order.includes(page) ? order.filter((one) => one !== page) : [...order, ...added]);
  };
  const [picked, setPicked] = useState<number>();
  const [done, setDone] = useState("");
  const pick = picked !== undefined && picked < order.length ? picked : undefined;
  const move = (from: number, to: number): void => {
    if (to === from) return;
    set(order.toSpliced(from, 1).toSpliced(to, 0, ...order.slice(from, from + 1)));
    setPicked(to);
    setDone(`Page ${order[from]} is now ${to + 1} of ${order.length}`);
  };
  const remove = (index: number): void => {
    set(order.toSpliced(index, 1));
    setPicked(undefined);
    setDone(`Page ${order[index]} is removed`);
  };
  // They stay enabled, so that the one that is pressed keeps the focus.
  const button = (label: string, name: string, isOff: boolean, act: (index: number) => void) => (
    <button
      type="button"
      class="plain"
      aria-label={name}
      aria-disabled={pick === undefined || isOff}
      onClick={() => pick === undefined || isOff || act(pick)}
    >
      {label}
    </button>
  );
  return (
    <div class="page-chooser">
      <div class="row wrap">
        <span class="quiet grow" role="status">
          {order.length === 0 ? "Click pages in the order you want." : `${order.length} chosen of ${numPages} pages`}
        </span>
        <span class="actions">
          <button type="button" class="plain" onClick={() => set(between(1, numPages))}>
            All
          </button>
          <button type="button" class="plain" onClick={() => set(order.toReversed())}>
            Reverse
          </button>
          <button type="button" class="plain" onClick={() => set([])}>
            None
          </button>
        </span>
      </div>
      <PageGrid
        document={document}
        label={`Pages for ${name}`}
        items={between(1, numPages)}
        isSelected={(index) => order.includes(index + 1)}
        press={press}
      />
      {order.length > 0 && (
        <>
          <div class="row wrap">
            <p class="quiet grow">The result: drag pages to reorder them, or click one to move it.</p>
            <span class="actions">
              {button("← Earlier", "Move the page earlier", pick === 0, (index) => move(index, index - 1))}
              {button("Later →", "Move the page later", pick === order.length - 1, (index) => move(index, index + 1))}
              {button("Remove", "Remove the page", false, remove)}
            </span>
          </div>
          <p class="visually-hidden" role="status">
            {done}
          </p>
          <PageGrid
            document={document}
            label="Pages of the result"
            items={order}
            single
            isSelected={(index) => index === pick}
            press={(index) => setPicked(index === pick ? undefined : index)}
            keys={{ Delete: remove, Backspace: remove }}
            move={move}
          />
          <p class="quiet">On the keyboard, Alt with an arrow key moves a page, and Delete removes it.</p>
        </>
      )}
    </div>
  );
}

/** A document cut into parts: a click on a page begins a part with it. */
export function PageParts({ document, name, value, change }: Omit<Props, "byDefault" | "rotations">) {
  const { numPages } = document;
  const cuts = cutsIn(value, numPages);
  const partOf = (page: number): number => (cuts ?? []).filter((cut) => cut <= page).length;
  const press = (index: number): void => {
    const page = index + 1;
    const before = cuts ?? [1];
    const next = before.includes(page) && page > 1 ? before.filter((cut) => cut !== page) : [...before, page];
    change(textOfCuts(next, numPages));
  };
  return (
    <div class="page-chooser">
      <p class="quiet" role="status">
        {cuts === undefined
          ? "These ranges do not cut the document into parts in order. Click a page to start over."
          : `${cuts.length > 1 ? `${cuts.length} parts. ` : ""}Click a page to begin a part with it.`}
      </p>
      <PageGrid
        document={document}
        label={`Parts for ${name}`}
        items={between(1, numPages)}
        isSelected={(index) => cuts?.includes(index + 1) ?? false}
        badge={(index) => (cuts === undefined ? undefined : `part ${partOf(index + 1)}`)}
        press={press}
      />
    </div>
  );
}
