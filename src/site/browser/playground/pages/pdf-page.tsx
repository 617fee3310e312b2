import { useEffect, useRef, useState } from "preact/hooks";
import type { PDFDocumentProxy } from "./pdfjs.ts";

interface Props {
  readonly document: PDFDocumentProxy;
  /** From 1. */
  readonly page: number;
  /** Called once the size is known: in points, as the page is shown. */
  readonly sized?: (width: number, height: number) => void;
}

/** More than two pixels per CSS pixel make no visible difference. */
const SHARPEST = 2;

/** One page on a canvas as wide as its container, drawn when it comes near the viewport. */
export function PdfPage({ document, page, sized }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [near, setNear] = useState(false);
  const [width, setWidth] = useState(0);
  const [drawn, setDrawn] = useState(false);
  // A4, until it is known.
  const [aspect, setAspect] = useState("210 / 297");

  // The container gets its aspect ratio before the page is drawn: nothing jumps, and a box on the page stays in place.
  useEffect(() => {
    let gone = false;
    const measure = async () => {
      const { width, height } = (await document.getPage(page)).getViewport({ scale: 1 });
      if (gone) return;
      setAspect(`${width} / ${height}`);
      sized?.(width, height);
    };
    measure().catch((error: unknown) => {
      if (!gone && !document.loadingTask.destroyed) throw error;
    });
    return () => {
      gone = true;
    };
  }, [document, page]);

  useEffect(() => {
    if (place.current === null) return;
    const near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setNear(true), {
      rootMargin: "400px",
    });
    const size = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    near.observe(place.current);
    size.observe(place.current);
    return () => {
      near.disconnect();
      size.disconnect();
    };
  }, []);

  useEffect(() => {
    if (!near || width === 0) return;
    let gone = false;
    let stop = () => {};
    setDrawn(false);
    const draw = async () => {
      const shown = await document.getPage(page);
      const natural = shown.getViewport({ scale: 1 });
      const viewport = shown.getViewport({ scale: (width / natural.width) * Math.min(devicePixelRatio, SHARPEST) });
      if (gone || canvas.current === null) return;
      canvas.current.width = Math.round(viewport.width);
      canvas.current.height = Math.round(viewport.height);
      const task = shown.render({ canvas: canvas.current, viewport });
      stop = () => task.cancel();
      await task.promise;
      setDrawn(true);
    };
    draw().catch((error: unknown) => {
      if (!gone && !document.loadingTask.destroyed) throw error;
    });
    return () => {
      gone = true;
      stop();
    };
  }, [document, page, near, width]);

  return (
    <div class="page" ref={place} style={{ aspectRatio: aspect }}>
      <canvas ref={canvas} role="img" aria-label={`Page ${page} of ${document.numPages}`} data-drawn={drawn} />
    </div>
  );
}
