import { useState } from "preact/hooks";

interface Props {
  readonly text: string;
  readonly label?: string;
  /** What the text belongs to, for screen readers. */
  readonly of?: string;
}

/** Copies `text`, which can differ from the shown text. */
export function CopyButton({ text, label = "Copy", of }: Props) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button type="button" class="plain copy" onClick={() => void copy()}>
      <span aria-live="polite">{done ? "Copied" : label}</span>
      {of !== undefined && <span class="visually-hidden"> of {of}</span>}
    </button>
  );
}
