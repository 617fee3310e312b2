import { useEffect, useState } from "preact/hooks";

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;

/** Keeps files that are dropped beside a field from being opened in place of the page. */
export function ignoreStrayDrops(): void {
  for (const type of ["dragover", "drop"] as const) {
    addEventListener(type, (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
  }
}

/** Takes files that are dropped anywhere on the page, except in a field of their own. Returns whether some are above the page. */
export function useDropAnywhere(take: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const dragged = (event: DragEvent) => setOver(hasFiles(event));
    // `relatedTarget` is null where the pointer leaves the window.
    const left = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const dropped = (event: DragEvent) => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (!event.defaultPrevented && files.length > 0) take(files);
    };
    // The field that a file is dropped into is below: it has its turn first.
    addEventListener("dragover", dragged);
    addEventListener("dragleave", left);
    document.addEventListener("drop", dropped);
    return () => {
      removeEventListener("dragover", dragged);
      removeEventListener("dragleave", left);
      document.removeEventListener("drop", dropped);
    };
  });
  return over;
}
