import { type ComponentChildren, Fragment } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Schema } from "../../../description/schema.ts";
import { type Box, type Corner, dragged, moved, sized } from "./box.ts";
import { boxesIn, type BoxKind, boxKindOf, type PlacedBox, textOfBoxes } from "./boxes.ts";
import { PageTurner } from "./page-turner.tsx";
import { PdfPage } from "./pdf-page.tsx";
import type { PDFDocumentProxy } from "./pdfjs.ts";

interface Props {
  readonly schema: Schema;
  /** The PDF on which boxes are drawn. */
  readonly document: PDFDocumentProxy;
  readonly value: string;
  readonly change: (value: string) => void;
  /** What the box will have in it. */
  readonly children?: ComponentChildren;
}

const STEP = 1;
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** A page with boxes on it, which can be drawn, moved, and resized by mouse, finger, or arrow keys. */
export function BoxPicker({ schema, document, value, change, children }: Props) {
  const kind = boxKindOf(schema) ?? "one";
  const surface = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 595, height: 842 });
  const [turnedTo, setTurnedTo] = useState(1);
  const drag = useRef<{ corner: Corner; index: number; box: Box; x: number; y: number } | undefined>(undefined);
  const boxes = boxesIn(kind, value, size.height);
  const own = kind === "one" ? (boxes[0]?.page ?? turnedTo) : turnedTo;
  const page = Math.min(Math.max(1, Math.round(own)), document.numPages);
  const set = (next: readonly PlacedBox[]): void => change(textOfBoxes(kind, next));
  const put = (index: number, box: Box): void => {
    const placed = { ...box, page };
    set(index < boxes.length ? boxes.with(index, placed) : [...boxes, placed]);
  };
  const turnTo = (next: number): void => {
    setTurnedTo(next);
    const [box] = boxes;
    if (kind === "one" && box) set([{ ...box, page: next }]);
  };
  /** In points of the page, from its top left. */
  const pointOf = (event: PointerEvent) => {
    const place = surface.current?.getBoundingClientRect();
    if (place === undefined) return { x: 0, y: 0 };
    return {
      x: ((event.clientX - place.left) / place.width) * size.width,
      y: ((event.clientY - place.top) / place.height) * size.height,
    };
  };
  const began = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const target = event.target as HTMLElement;
    const { x, y } = pointOf(event);
    const corner = (target.closest<HTMLElement>("[data-corner]")?.dataset["corner"] ?? "new") as Corner;
    const touched = target.closest<HTMLElement>("[data-box]")?.dataset["box"];
    const index = touched === undefined ? (kind === "list" ? boxes.length : 0) : Number(touched);
    drag.current = { corner, index, box: boxes[index] ?? { x, y, width: 0, height: 0 }, x, y };
    surface.current?.setPointerCapture(event.pointerId);
    event.preventDefault();
    if (corner !== "new") target.closest<HTMLElement>("button")?.focus();
  };
  const going = (event: PointerEvent) => {
    const to = pointOf(event);
    const start = drag.current;
    if (start === undefined) return;
    // A click on the page is no box.
    const isClick = start.corner === "new" && Math.hypot(to.x - start.x, to.y - start.y) < 3;
    if (!isClick) put(start.index, dragged(start, to, size));
  };
  const keyed = (event: KeyboardEvent, index: number) => {
    const step = KEYS[event.key];
    const box = boxes[index];
    if (box === undefined) return;
    if (event.key === "Delete" || event.key === "Backspace") set(boxes.toSpliced(index, 1));
    else if (step === undefined) return;
    else {
      const [x, y] = step.map((value) => value * (event.altKey ? 10 : 1)) as [number, number];
      put(index, event.shiftKey ? sized(box, x, y, size) : moved(box, x, y, size));
    }
    event.preventDefault();
  };
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  const placeOf = ({ x, y, width, height }: Box) => ({
    left: percent(x, size.width),
    top: percent(y, size.height),
    width: percent(width, size.width),
    height: percent(height, size.height),
  });
  const isHere = (box: PlacedBox): boolean => kind === "area" || (box.page ?? 1) === page;

  return (
    <div class="box-picker">
      <PageTurner page={page} pageCount={document.numPages} turnTo={turnTo} />
      <div
        class="surface"
        ref={surface}
        onPointerDown={began}
        onPointerMove={going}
        onPointerUp={() => (drag.current = undefined)}
        onPointerCancel={() => (drag.current = undefined)}
      >
        <PdfPage document={document} page={page} sized={(width, height) => setSize({ width, height })} />
        {boxes.map(
          (box, index) =>
            isHere(box) && (
              <Fragment key={index}>
                {/* Its text is not a part of the button's label. */}
                <div class="in-box" aria-hidden="true" style={placeOf(box)}>
                  {children}
                </div>
                <button
                  type="button"
                  class="box"
                  data-box={index}
                  data-corner="inside"
                  aria-label={`Box${kind === "list" ? ` ${index + 1}` : ""}: x ${box.x}, y ${box.y}, ${box.width} by ${box.height} points. Arrow keys move it, Shift resizes it, Alt moves it by ten points, Delete removes it.`}
                  style={placeOf(box)}
                  onKeyDown={(event) => keyed(event, index)}
                >
                  {(["nw", "ne", "sw", "se"] as const).map((corner) => (
                    <span key={corner} class={`corner ${corner}`} data-corner={corner} />
                  ))}
                </button>
              </Fragment>
            ),
        )}
      </div>
      <p class="quiet">
        {boxes.length > 0
          ? "Drag the box, or use the arrow keys; hold Shift to resize it, and press Delete to remove it. "
          : "Draw the box with the mouse, or "}
        {(kind === "list" || boxes.length === 0) && (
          <button type="button" class="plain" onClick={() => put(boxes.length, usualBox(kind, size))}>
            {boxes.length > 0 ? "Place another" : "place one"}
          </button>
        )}
        {kind === "list" &&
          boxes.length > 0 &&
          ` ${boxes.length === 1 ? "1 box" : `${boxes.length} boxes`} on all pages`}
      </p>
    </div>
  );
}

/** Of an area, most of the page; else where people usually sign: at the bottom left. */
function usualBox(kind: BoxKind, { width, height }: { width: number; height: number }): Box {
  const [left, top, across, down] = kind === "area" ? [0.08, 0.08, 0.84, 0.84] : [0.12, 0.75, 0.35, 0.08];
  return {
    x: Math.round(width * left),
    y: Math.round(height * top),
    width: Math.round(width * across),
    height: Math.round(height * down),
  };
}
