import { useRef, useState } from "preact/hooks";
import type { ChosenFile } from "../../../description/form-values.ts";
import { allows, type Schema } from "../../../description/schema.ts";
import { FILES, isFileId } from "../../api/stored-files.ts";
import { type Box, boxFrom, type Corner, dragged, moved, sized } from "./box.ts";
import { readMembers, writeMembers } from "../json-input.tsx";
import { PdfPage } from "./pdf-page.tsx";
import { usePdf } from "./use-pdf.ts";

const MEMBERS = ["page", "x", "y", "width", "height"];

/** Whether an object is a box on a page, which can be drawn. */
export function isBoxField({ contentSchema }: Schema): boolean {
  return MEMBERS.every((name) => {
    const member = contentSchema?.properties?.[name];
    return member !== undefined && (allows(member, "number") || allows(member, "integer"));
  });
}

/** What the page is drawn from. The policy of this page lets it load nothing from other hosts. */
function sourceOf(file: ChosenFile): Blob | string | undefined {
  if ("blob" in file) return file.blob;
  return isFileId(file.reference) ? `${FILES}/${encodeURIComponent(file.reference)}/content` : undefined;
}

interface Props {
  /** The PDF on which the box is drawn. */
  readonly file: ChosenFile | undefined;
  readonly password: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

const STEP = 1;
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** The page with the box on it, which can be drawn, moved and resized by mouse, finger or arrow keys. */
export function BoxPicker({ file, password, value, change }: Props) {
  const source = file && sourceOf(file);
  const pdf = usePdf(source, [password]);
  const surface = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 595, height: 842 });
  const drag = useRef<{ corner: Corner; box: Box; x: number; y: number } | undefined>(undefined);
  if (file === undefined) return <p class="quiet">Choose a PDF, then draw the box on its page here.</p>;
  if (source === undefined) return <p class="quiet">The pages of a PDF from a URL are not shown here.</p>;
  if (pdf.state !== "open") {
    const words = {
      opening: "Drawing the page…",
      locked: "The PDF needs its password.",
      failed: "It cannot be shown.",
    };
    return <p class="quiet">{words[pdf.state]}</p>;
  }
  const members = readMembers(value) ?? {};
  const asked = typeof members["page"] === "number" ? members["page"] : 1;
  const page = Math.min(Math.max(1, Math.round(asked)), pdf.document.numPages);
  const box = boxFrom(members, size.height);
  const set = (box: Box, page_ = page) => {
    const { x, y, width, height } = box;
    change(writeMembers({ page: page_, x, y, width, height }));
  };
  const turn = (step: number) => {
    if (box) set(box, page + step);
    else change(writeMembers({ ...members, page: page + step }));
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
    drag.current = { corner, box: box ?? { x, y, width: 0, height: 0 }, x, y };
    surface.current?.setPointerCapture(event.pointerId);
    event.preventDefault();
    if (corner !== "new") target.closest<HTMLElement>("button")?.focus();
  };
  const going = (event: PointerEvent) => {
    if (drag.current) set(dragged(drag.current, pointOf(event), size));
  };
  const keyed = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step === undefined || box === undefined) return;
    event.preventDefault();
    const [x, y] = step.map((value) => value * (event.altKey ? 10 : 1)) as [number, number];
    set(event.shiftKey ? sized(box, x, y, size) : moved(box, x, y, size));
  };
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;

  return (
    <div class="box-picker">
      <div class="row">
        <button type="button" class="plain" disabled={page <= 1} onClick={() => turn(-1)}>
          ← Page before
        </button>
        <span class="quiet grow">
          Page {page} of {pdf.document.numPages}
        </span>
        <button type="button" class="plain" disabled={page >= pdf.document.numPages} onClick={() => turn(1)}>
          Next page →
        </button>
      </div>
      <div
        class="surface"
        ref={surface}
        onPointerDown={began}
        onPointerMove={going}
        onPointerUp={() => (drag.current = undefined)}
        onPointerCancel={() => (drag.current = undefined)}
      >
        <PdfPage document={pdf.document} page={page} sized={(width, height) => setSize({ width, height })} />
        {box && (
          <button
            type="button"
            class="box"
            data-corner="inside"
            aria-label={`Box: x ${box.x}, y ${box.y}, ${box.width} by ${box.height} points. Arrow keys move it, Shift resizes it, Alt moves it by ten points.`}
            style={{
              left: percent(box.x, size.width),
              top: percent(box.y, size.height),
              width: percent(box.width, size.width),
              height: percent(box.height, size.height),
            }}
            onKeyDown={keyed}
          >
            {(["nw", "ne", "sw", "se"] as const).map((corner) => (
              <span key={corner} class={`corner ${corner}`} data-corner={corner} />
            ))}
          </button>
        )}
      </div>
      <p class="quiet">
        {box ? "Drag the box, or use the arrow keys; hold Shift to resize it." : "Draw the box with the mouse, or "}
        {!box && (
          <button type="button" class="plain" onClick={() => set(placed(size))}>
            place one
          </button>
        )}
      </p>
    </div>
  );
}

/** Where people usually sign: at the bottom left. */
function placed({ width, height }: { width: number; height: number }): Box {
  return {
    x: Math.round(width * 0.12),
    y: Math.round(height * 0.75),
    width: Math.round(width * 0.35),
    height: Math.round(height * 0.08),
  };
}
