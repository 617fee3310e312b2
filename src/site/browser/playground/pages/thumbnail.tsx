import { useEffect, useRef } from "preact/hooks";
import type { PDFDocumentProxy } from "./pdfjs.ts";

/** Pages that are drawn at the same time: more would make the first ones late. */
const AT_ONCE = 2;
/** Drawn pages that are kept of a document. */
const KEPT = 120;

type Work = () => Promise<void>;

const waiting = new Set<Work>();
let working = 0;

/** The last that was asked for comes first: it is what somebody looks at. */
function next(): void {
  const work = [...waiting].at(-1);
  if (work === undefined || working >= AT_ONCE) return;
  waiting.delete(work);
  working += 1;
  void work().finally(() => {
    working -= 1;
    next();
  });
}

const drawn = new WeakMap<PDFDocumentProxy, Map<number, ImageBitmap>>();

async function draw(document: PDFDocumentProxy, page: number, size: number): Promise<ImageBitmap> {
  const kept = drawn.get(document) ?? new Map<number, ImageBitmap>();
  drawn.set(document, kept);
  const known = kept.get(page);
  if (known) return known;
  const shown = await document.getPage(page);
  const natural = shown.getViewport({ scale: 1 });
  const scale = (size * Math.min(devicePixelRatio, 2)) / Math.max(natural.width, natural.height);
  const viewport = shown.getViewport({ scale });
  const canvas = globalThis.document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  await shown.render({ canvas, viewport }).promise;
  shown.cleanup();
  const image = await createImageBitmap(canvas);
  kept.set(page, image);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return image;
}

interface Props {
  readonly document: PDFDocumentProxy;
  readonly page: number;
  /** The longer side in CSS pixels. */
  readonly size: number;
  /** Degrees clockwise. */
  readonly rotation: number;
}

/** A small picture of a page. */
export function Thumbnail({ document, page, size, rotation }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const work = async () => {
      const image = await draw(document, page, size).catch(() => undefined);
      const target = canvas.current;
      if (target === null || image === undefined) return;
      target.width = image.width;
      target.height = image.height;
      target.getContext("2d")?.drawImage(image, 0, 0);
      target.dataset["drawn"] = "true";
    };
    waiting.add(work);
    next();
    return () => void waiting.delete(work);
  }, [document, page, size]);
  return (
    <canvas
      ref={canvas}
      class="thumbnail"
      aria-hidden="true"
      style={{ rotate: `${rotation}deg`, scale: rotation % 180 === 0 ? "1" : "0.78" }}
    />
  );
}
