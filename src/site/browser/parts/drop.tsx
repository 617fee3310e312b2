import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

interface Props {
  readonly label: string;
  /** Media types, separated by commas. */
  readonly accept?: string;
  readonly multiple: boolean;
  readonly take: (files: readonly File[]) => void;
  readonly invalid?: boolean;
  readonly describedBy?: string;
  /** Other ways to choose a file. */
  readonly children?: ComponentChildren;
}

/** Accepts files by drag and drop, or from the system's dialog. */
export function Drop({ label, accept, multiple, take, invalid, describedBy, children }: Props) {
  const id = useId();
  const [over, setOver] = useState(false);
  const chosen = (files: FileList | null | undefined) => {
    const all = [...(files ?? [])];
    if (all.length > 0) take(all);
  };
  return (
    <div
      class={`drop${over ? " over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        chosen(event.dataTransfer?.files);
      }}
    >
      <input
        id={id}
        class="visually-hidden"
        type="file"
        accept={accept}
        multiple={multiple}
        aria-label={label}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        onChange={(event) => {
          chosen(event.currentTarget.files);
          // Lets the user choose the same file again.
          event.currentTarget.value = "";
        }}
      />
      <label for={id}>
        <strong>Choose {multiple ? "files" : "a file"}</strong> or drop {multiple ? "them" : "it"} here
      </label>
      {children}
    </div>
  );
}
