import { useState } from "preact/hooks";

/** Lets the items of a list be dragged to another place by mouse. Keyboards need buttons or keys of their own. */
export function useReorder(move: (from: number, to: number) => void) {
  const [from, setFrom] = useState<number>();
  const [over, setOver] = useState<number>();
  const end = () => {
    setFrom(undefined);
    setOver(undefined);
  };
  return (index: number) => ({
    draggable: true,
    "data-dragged": from === index || undefined,
    "data-over":
      from !== undefined && over === index && from !== index ? (from < index ? "after" : "before") : undefined,
    onDragStart: (event: DragEvent) => {
      // Firefox drags only elements with data.
      event.dataTransfer?.setData("text/plain", String(index));
      setFrom(index);
    },
    onDragOver: (event: DragEvent) => {
      if (from === undefined) return;
      event.preventDefault();
      setOver(index);
    },
    onDrop: (event: DragEvent) => {
      if (from === undefined) return;
      event.preventDefault();
      if (from !== index) move(from, index);
      end();
    },
    onDragEnd: end,
  });
}
