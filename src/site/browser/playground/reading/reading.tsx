import { useRef, useState } from "preact/hooks";
import { PageTurner } from "../pages/page-turner.tsx";
import { PdfPage } from "../pages/pdf-page.tsx";
import { usePdf } from "../pages/use-pdf.ts";
import { MarkdownView } from "./markdown-view.tsx";
import type { ReadPage } from "./places.ts";
import { PlacesList } from "./places-list.tsx";

interface Props {
  /** The document that was read: a PDF, or its path in the API. */
  readonly source: Blob | string;
  readonly passwords: readonly string[];
  /** The text read from each page, or the Markdown of all. */
  readonly read: readonly ReadPage[] | string;
  /** The text below the page. */
  readonly notes?: readonly string[];
}

/** A page with boxes around the recognized parts, and the text beside it, so that errors are visible at a glance. */
export function Reading({ source, passwords, read, notes = [] }: Props) {
  const pdf = usePdf(source, passwords);
  const frame = useRef<HTMLDivElement>(null);
  const [first] = typeof read === "string" ? [] : read;
  const [turnedTo, setTurnedTo] = useState(first?.pageNumber ?? 1);
  const [size, setSize] = useState({ width: 595, height: 842 });
  const [chosen, setChosen] = useState<number>();
  if (pdf.state === "locked" || pdf.state === "failed") return <p class="quiet">The pages cannot be shown.</p>;
  // The text does not wait for the page, so that nothing moves when it comes.
  const document = pdf.state === "open" ? pdf.document : undefined;
  const here = typeof read === "string" ? undefined : read.find(({ pageNumber }) => pageNumber === turnedTo);
  const places = here?.places ?? [];
  const markdown = typeof read === "string" ? read : here?.markdown;
  const turnTo = (page: number): void => {
    setChosen(undefined);
    setTurnedTo(page);
  };
  return (
    <div class="reading" ref={frame}>
      <PageTurner page={turnedTo} pageCount={document?.numPages ?? turnedTo} turnTo={turnTo}>
        <button type="button" class="plain" onClick={() => void toggleFullscreen(frame.current)}>
          Full screen
        </button>
      </PageTurner>
      <div class="beside">
        <div class="read-page">
          {document ? (
            <PdfPage {...{ document }} page={turnedTo} sized={(width, height) => setSize({ width, height })} />
          ) : (
            <div class="page" style={{ aspectRatio: "210 / 297" }} />
          )}
          <svg
            class="overlay"
            viewBox={`0 0 ${size.width} ${size.height}`}
            role="img"
            aria-label={`${places.length} places on page ${turnedTo}`}
          >
            {places.map(({ kind, boxes }, index) => (
              <g key={index} class="place" data-kind={kind} data-chosen={chosen === index}>
                <title>{kind}</title>
                {boxes.map(({ x, y, width, height }, at) => (
                  <rect
                    key={at}
                    {...{ x, y, width, height }}
                    rx={1.5}
                    onMouseEnter={() => setChosen(index)}
                    onMouseLeave={() => setChosen(undefined)}
                  />
                ))}
              </g>
            ))}
          </svg>
        </div>
        <div class="read-text" tabIndex={0} role="group" aria-label="Text of the page">
          {notes.map((note) => (
            <p class="quiet" key={note}>
              {note}
            </p>
          ))}
          {markdown === undefined ? (
            places.length === 0 ? (
              <p class="quiet">Nothing was found on this page.</p>
            ) : (
              <PlacesList places={places} chosen={chosen} choose={setChosen} />
            )
          ) : (
            <MarkdownView text={markdown} />
          )}
        </div>
      </div>
    </div>
  );
}

function toggleFullscreen(element: HTMLElement | null): Promise<void> | undefined {
  return document.fullscreenElement ? document.exitFullscreen() : element?.requestFullscreen();
}
