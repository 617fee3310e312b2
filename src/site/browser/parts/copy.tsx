import { useState } from "preact/hooks";

/** Copies `text`, which can differ from what is shown. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button type="button" class="plain copy" onClick={() => void copy()}>
      <span aria-live="polite">{done ? "Copied" : label}</span>
    </button>
  );
}
