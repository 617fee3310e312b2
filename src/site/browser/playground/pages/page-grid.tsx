import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useReorder } from "../../parts/use-reorder.ts";
import type { PDFDocumentProxy } from "./pdfjs.ts";
import { Thumbnail } from "./thumbnail.tsx";

/** The size of a cell with its margins, and the longer side of the page in it, in CSS pixels. */
const CELL = { width: 108, height: 150, page: 116 };
/** Rows above and below those that are seen. */
const MARGIN = 2;

interface Props {
  readonly document: PDFDocumentProxy;
  readonly label: string;
  /** Pages from 1, in the order of the grid. */
  readonly items: readonly number[];
  readonly isSelected: (index: number) => boolean;
  /** Whether only one can be selected. */
  readonly single?: boolean;
  /** A word on the page, such as its part. */
  readonly badge?: (index: number) => string | undefined;
  /** Degrees clockwise. */
  readonly rotation?: (page: number) => number;
  /** A click, Space or Enter. `extend`: with Shift, from the page before. */
  readonly press: (index: number, extend: boolean) => void;
  /** Further keys, by their name, which act on a page. */
  readonly keys?: Readonly<Record<string, (index: number) => void>>;
  /** Drags a page to another place; Alt and an arrow key do so, too. */
  readonly move?: (from: number, to: number) => void;
}

/**
 * Small pages side by side. Only those in view are drawn and in the document, so that thousands scroll smoothly. One stop of the Tab
 * key; arrow keys, Home, End, and the page keys go from page to page.
 */
export function PageGrid({ document, label, items, isSelected, badge, rotation, press, ...props }: Props) {
  const { single = false, keys = {}, move } = props;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ width: 0, height: 0, top: 0 });
  const [active, setActive] = useState(0);
  const follow = useRef(false);
  const drag = useReorder(move ?? (() => {}));
  const current = Math.min(active, items.length - 1);
  const columns = Math.max(1, Math.floor(view.width / CELL.width));
  const rows = Math.ceil(items.length / columns);

  // Before it is painted: with another number of columns, the grid would have another height for a moment.
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const look = () => setView({ width: element.clientWidth, height: element.clientHeight, top: element.scrollTop });
    look();
    const size = new ResizeObserver(look);
    size.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      size.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  useLayoutEffect(() => {
    if (!follow.current) return;
    follow.current = false;
    place.current?.querySelector<HTMLElement>(`[data-index="${current}"]`)?.focus();
  });

  const goTo = (index: number): void => {
    follow.current = true;
    setActive(Math.min(Math.max(0, index), items.length - 1));
  };
  const rowsInView = Math.max(1, Math.floor(view.height / CELL.height));
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * rowsInView,
    PageDown: columns * rowsInView,
    Home: -items.length,
    End: items.length,
  };
  const keyed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    const step = steps[event.key];
    const action = keys[event.key];
    if (step !== undefined) {
      const to = Math.min(Math.max(0, current + step), items.length - 1);
      if (event.altKey && move) move(current, to);
      else if (event.shiftKey) press(to, true);
      goTo(to);
    } else if (event.key === " " || event.key === "Enter") press(current, event.shiftKey);
    else if (action) {
      action(current);
      goTo(current);
    } else return;
    event.preventDefault();
  };

  const first = Math.max(0, Math.floor(view.top / CELL.height) - MARGIN) * columns;
  const last = Math.ceil((view.top + view.height) / CELL.height + MARGIN) * columns;
  const shown = view.width === 0 ? [] : items.map((_, index) => index).slice(first, last);
  // The focused element is kept, wherever the grid is scrolled to.
  if (!shown.includes(current) && current >= 0 && view.width > 0) shown.push(current);
  return (
    <div class="page-grid" ref={place}>
      <div
        role="listbox"
        aria-label={label}
        aria-multiselectable={!single}
        style={{ height: `${rows * CELL.height}px` }}
        onKeyDown={keyed}
      >
        {shown.map((index) => {
          const page = items[index] ?? 0;
          const word = badge?.(index);
          return (
            <div
              key={index}
              role="option"
              data-index={index}
              aria-selected={isSelected(index)}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              aria-label={`Page ${page}${word === undefined ? "" : `, ${word}`}`}
              tabIndex={index === current ? 0 : -1}
              style={{
                left: `${(index % columns) * CELL.width}px`,
                top: `${Math.floor(index / columns) * CELL.height}px`,
                width: `${CELL.width}px`,
                height: `${CELL.height}px`,
              }}
              onFocus={() => setActive(index)}
              onClick={(event) => press(index, event.shiftKey)}
              {...(move && drag(index))}
            >
              <Thumbnail document={document} page={page} size={CELL.page} rotation={rotation?.(page) ?? 0} />
              <span aria-hidden="true">
                {page}
                {word !== undefined && <em>{word}</em>}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
