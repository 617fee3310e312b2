import type { ComponentChildren } from "preact";

interface Props {
  /** From 1. */
  readonly page: number;
  readonly pageCount: number;
  readonly turnTo: (page: number) => void;
  /** Shown at the end of the row. */
  readonly children?: ComponentChildren;
}

/** The page that is shown, and the way to its neighbors. */
export function PageTurner({ page, pageCount, turnTo, children }: Props) {
  return (
    <div class="row wrap page-turner">
      <button type="button" class="plain" disabled={page <= 1} onClick={() => turnTo(page - 1)}>
        ← Previous page
      </button>
      <span class="quiet" aria-live="polite">
        Page {page} of {pageCount}
      </span>
      <button type="button" class="plain" disabled={page >= pageCount} onClick={() => turnTo(page + 1)}>
        Next page →
      </button>
      {children !== undefined && <span class="grow" />}
      {children}
    </div>
  );
}
