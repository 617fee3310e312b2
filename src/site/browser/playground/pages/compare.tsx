import { useEffect, useState } from "preact/hooks";
import { useBlobUrl } from "../download.tsx";
import { PageTurner } from "./page-turner.tsx";
import { PdfPage } from "./pdf-page.tsx";
import type { PDFDocumentProxy } from "./pdfjs.ts";
import { usePdf } from "./use-pdf.ts";

interface Props {
  /** A PDF or an image, or the path of a PDF in the API. */
  readonly before: Blob | string;
  readonly after: Blob;
  readonly passwords: readonly string[];
  /** Whether the text of the page is shown at first, as for operations that add text. */
  readonly withText: boolean;
}

/** A page before and after an operation, on either side of a line that can be moved. */
export function Compare({ before, after, passwords, withText }: Props) {
  const image = typeof before !== "string" && before.type.startsWith("image/") ? before : undefined;
  const isImage = image !== undefined;
  const old = usePdf(isImage ? undefined : before, passwords);
  const made = usePdf(after, passwords);
  const [page, setPage] = useState(1);
  const [part, setPart] = useState(50);
  const [text, setText] = useState(withText);
  const [oldSize, setOldSize] = useState<string>();
  const [madeSize, setMadeSize] = useState<string>();
  if (made.state !== "open" || (!isImage && old.state !== "open")) {
    const failed = [old, made].some(({ state }) => state === "locked" || state === "failed");
    return <p class="quiet pages-wanted tall">{failed ? "The pages cannot be shown." : "Drawing the pages…"}</p>;
  }
  const { numPages } = made.document;
  const oldPages = old.state === "open" ? old.document.numPages : 1;
  if (oldPages !== numPages) {
    return (
      <p class="quiet">
        Before, there were {oldPages} pages; now there are {numPages}.
      </p>
    );
  }
  // Pages of different sizes do not overlay each other: they are side by side.
  const isApart = !isImage && oldSize !== undefined && madeSize !== undefined && oldSize !== madeSize;
  const turnTo = (next: number): void => {
    setOldSize(undefined);
    setMadeSize(undefined);
    setPage(next);
  };
  return (
    <div class="compare">
      <PageTurner page={page} pageCount={numPages} turnTo={turnTo}>
        <label class="row quiet">
          <input type="checkbox" checked={text} onChange={(event) => setText(event.currentTarget.checked)} />
          Text layer
        </label>
      </PageTurner>
      <div class={isApart ? "sides apart" : "sides"}>
        {old.state === "open" && (
          <PdfPage document={old.document} page={page} sized={(width, height) => setOldSize(sizeOf(width, height))} />
        )}
        {image && <BeforeImage image={image} />}
        <div class="after" style={{ clipPath: isApart ? "none" : `inset(0 0 0 ${part}%)` }}>
          <PdfPage document={made.document} page={page} sized={(width, height) => setMadeSize(sizeOf(width, height))} />
          {text && <TextLayer document={made.document} page={page} />}
        </div>
        {!isApart && (
          <>
            <span class="divider" aria-hidden="true" style={{ left: `${part}%` }} />
            <input
              type="range"
              min={0}
              max={100}
              aria-label="Before on the left of the line, after on the right"
              aria-valuetext={`${part}% before`}
              value={part}
              onInput={(event) => setPart(Number(event.currentTarget.value))}
            />
          </>
        )}
      </div>
      <p class="row quiet">
        <span class="grow">Before</span>
        After
      </p>
    </div>
  );
}

/** In whole points. */
const sizeOf = (width: number, height: number): string => `${Math.round(width)} ${Math.round(height)}`;

function BeforeImage({ image }: { image: Blob }) {
  const url = useBlobUrl(image);
  return <div class="page">{url !== "" && <img src={url} alt="The page before" />}</div>;
}

interface Line {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly angle: number;
}

/** The text of a page at its places, over a veil: what can be searched and copied. */
function TextLayer({ document, page }: { document: PDFDocumentProxy; page: number }) {
  const [layer, setLayer] = useState<{ width: number; height: number; lines: readonly Line[] }>();
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const shown = await document.getPage(page);
      const viewport = shown.getViewport({ scale: 1 });
      const { items } = await shown.getTextContent();
      const lines = items.flatMap((item): Line[] => {
        if (!("str" in item) || item.str.trim() === "") return [];
        const [a = 1, b = 0, , , e = 0, f = 0] = item.transform as number[];
        const [x = 0, y = 0] = viewport.convertToViewportPoint(e, f) as number[];
        const [toX = 0, toY = 0] = viewport.convertToViewportPoint(e + a, f + b) as number[];
        const angle = (Math.atan2(toY - y, toX - x) * 180) / Math.PI;
        return [{ text: item.str, x, y, width: item.width, size: item.height || Math.hypot(a, b), angle }];
      });
      if (isCurrent) setLayer({ width: viewport.width, height: viewport.height, lines });
    };
    setLayer(undefined);
    read().catch(() => {});
    return () => {
      isCurrent = false;
    };
  }, [document, page]);
  if (layer === undefined) return null;
  return (
    <svg class="overlay text-layer" viewBox={`0 0 ${layer.width} ${layer.height}`} role="img" aria-label="Text layer">
      <rect width={layer.width} height={layer.height} />
      {layer.lines.map(({ text, x, y, width, size, angle }, index) => (
        <text
          key={index}
          x={x}
          y={y}
          font-size={size}
          textLength={Math.max(1, width)}
          lengthAdjust="spacingAndGlyphs"
          transform={`rotate(${angle} ${x} ${y})`}
        >
          {text}
        </text>
      ))}
    </svg>
  );
}
