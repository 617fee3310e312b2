import type { ComponentChildren } from "preact";
import { CopyButton } from "../parts/copy.tsx";

/** A secret that is shown only once. */
export function Secret({ title, value, children }: { title: string; value: string; children?: ComponentChildren }) {
  return (
    <div class="notice secret" role="status">
      <p>
        <strong>{title}</strong> Copy it now: it is shown only once.
      </p>
      <p class="row">
        <code class="grow">{value}</code>
        <CopyButton text={value} />
        {children}
      </p>
    </div>
  );
}
