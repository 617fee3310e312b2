import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";

/** A secret that is shown only once. It takes the focus from the form or dialog that has made it. */
export function Secret({ title, value, children }: { title: string; value: string; children?: ComponentChildren }) {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), [value]);
  return (
    <div class="notice secret" role="status" tabIndex={-1} ref={notice}>
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
