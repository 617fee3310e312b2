import { useState } from "preact/hooks";
import { PdfPage } from "./pdf-page.tsx";
import { usePdf } from "./use-pdf.ts";

/** Number of pages shown at first, and added each time the user asks for more. */
const PAGES = 24;

/** The pages of a PDF: small side by side, or one that fills the width. */
export function PdfView({ file, passwords }: { file: Blob; passwords: readonly string[] }) {
  const [asked, setAsked] = useState<readonly string[]>([]);
  const [shown, setShown] = useState(PAGES);
  const [large, setLarge] = useState<number>();
  const pdf = usePdf(file, [...passwords, ...asked]);
  if (pdf.state === "opening" || pdf.state === "none") return <p class="quiet">Rendering pages…</p>;
  if (pdf.state === "failed") return <p class="issue">The PDF cannot be shown: {pdf.message}</p>;
  if (pdf.state === "locked") return <Unlock unlock={(password) => setAsked([password])} failed={asked.length > 0} />;
  const { document } = pdf;
  const pages = Array.from({ length: Math.min(shown, document.numPages) }, (_, index) => index + 1);
  return (
    <>
      <ol class={`pages${document.numPages === 1 ? " single" : ""}`}>
        {pages.map((page) => (
          <li key={page} class={large === page ? "large" : ""}>
            <button
              type="button"
              aria-pressed={large === page}
              aria-label={`Page ${page}, ${large === page ? "smaller" : "larger"}`}
              onClick={() => setLarge(large === page ? undefined : page)}
            >
              <PdfPage document={document} page={page} />
            </button>
            <span class="quiet" aria-hidden="true">
              {page}
            </span>
          </li>
        ))}
      </ol>
      {document.numPages > shown && (
        <button type="button" onClick={() => setShown(shown + PAGES)}>
          More pages ({document.numPages - shown} left)
        </button>
      )}
    </>
  );
}

function Unlock({ unlock, failed }: { unlock: (password: string) => void; failed: boolean }) {
  const [text, setText] = useState("");
  return (
    <div class="unlock">
      <p>The PDF is encrypted. Enter its password to see the pages here; it does not leave this page.</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          unlock(text);
        }}
      >
        <input
          type="password"
          autocomplete="new-password"
          aria-label="Password of the PDF"
          aria-invalid={failed}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Show</button>
      </form>
      {failed && <p class="issue">Incorrect password.</p>}
    </div>
  );
}
