import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  readonly title: string;
  readonly action: string;
  readonly children: ComponentChildren;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Asks for confirmation before something that cannot be undone. */
export function Confirm({ title, action, children, confirm, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
          dialog.current?.close();
        }}
      >
        <h2>{title}</h2>
        <div>{children}</div>
        <div class="row">
          <span class="grow" />
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="danger">
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
