import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ReferredFile } from "../../description/form-values.ts";
import { callJson } from "../api/call.ts";
import { currentKey } from "../api/key.ts";
import { FILES, referredFile, type StoredFile } from "../api/stored-files.ts";
import { useArrival } from "../parts/arriving.ts";
import { bytes } from "../parts/figures.ts";

interface Props {
  /** The name of the field. */
  readonly label: string;
  readonly add: (file: ReferredFile) => void;
}

/** Takes the ID of a stored file or a URL instead of a file; offers the files that the account has stored. */
export function ReferenceInput({ label, add }: Props) {
  const id = useId();
  const arrive = useArrival(add);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [stored, setStored] = useState<readonly StoredFile[]>([]);
  // Before the next key is pressed: an effect after painting would lose it.
  useLayoutEffect(() => {
    if (!open) {
      if (wasOpen.current) button.current?.focus();
      return;
    }
    wasOpen.current = true;
    input.current?.focus();
    // Without a key, or with one that cannot list files, an ID can still be typed.
    void callJson<{ data: readonly StoredFile[] }>(currentKey(), "GET", FILES).then(
      ({ data }) => setStored(data.filter(({ status }) => status === "ready")),
      () => setStored([]),
    );
  }, [open]);
  const close = () => {
    setOpen(false);
    setText("");
  };
  const use = () => {
    const reference = text.trim();
    if (reference === "") return;
    void arrive(referredFile(reference));
    close();
  };
  if (!open) {
    return (
      <button ref={button} type="button" class="plain" onClick={() => setOpen(true)}>
        Stored file or URL
      </button>
    );
  }
  return (
    <div class="row reference">
      <input
        ref={input}
        type="text"
        autocomplete="off"
        spellcheck={false}
        list={id}
        aria-label={`${label}: ID of a stored file, or URL`}
        placeholder="file_… or https://…"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
          if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
          // It does not run the operation.
          event.preventDefault();
          use();
        }}
      />
      <datalist id={id}>
        {stored.map(({ id, name, size }) => (
          <option key={id} value={id} label={`${name}, ${bytes(size)}`} />
        ))}
      </datalist>
      <button type="button" onClick={use}>
        Use
      </button>
    </div>
  );
}
