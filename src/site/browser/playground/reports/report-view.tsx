import { useEffect, useRef, useState } from "preact/hooks";
import { Inline } from "../../parts/prose.tsx";
import { PageTurner } from "../pages/page-turner.tsx";
import { PdfPage } from "../pages/pdf-page.tsx";
import { usePdf } from "../pages/use-pdf.ts";
import type { Block, Item } from "./blocks.ts";

interface Props {
  readonly blocks: readonly Block[];
  /** The document that the report is about, if it is known. */
  readonly source: Blob | string | undefined;
  readonly passwords: readonly string[];
}

/** A report in words, and the page that a finding is on. */
export function ReportView({ blocks, source, passwords }: Props) {
  const [page, setPage] = useState<number>();
  const hasHeadings = blocks.some(({ kind }) => kind === "heading");
  const show = source === undefined ? undefined : setPage;
  return (
    <div class="report">
      {blocks.map((block, index) => (
        <Shown key={index} {...{ block, show }} Label={hasHeadings ? "h4" : "h3"} />
      ))}
      {page !== undefined && source !== undefined && <ShownPage {...{ source, passwords, page }} turnTo={setPage} />}
    </div>
  );
}

/** Shows a page of the document; undefined if the document is not known. */
type Show = ((page: number) => void) | undefined;

interface ShownProps {
  readonly block: Block;
  readonly show: Show;
  /** The heading of a part. */
  readonly Label: "h3" | "h4";
}

function Shown({ block, show, Label }: ShownProps) {
  switch (block.kind) {
    case "verdict":
      return (
        <p class="verdict" data-tone={block.tone}>
          <Inline text={block.text} />
        </p>
      );
    case "heading":
      return <h3>{block.text}</h3>;
    case "note":
      return (
        <p class="quiet">
          <Inline text={block.text} />
        </p>
      );
    case "facts":
      return (
        <section>
          <Label class="label">{block.label}</Label>
          <dl>
            {block.facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      );
    case "list":
      return (
        <section>
          <Label class="label">{block.label}</Label>
          <ul>
            {block.items.map((item, index) => (
              <li key={index}>
                <Placed {...{ item, show }} />
              </li>
            ))}
          </ul>
        </section>
      );
    case "table":
      return (
        <section>
          <Label class="label">{block.label}</Label>
          <div class="scrolls" tabIndex={0} role="group" aria-label={block.label}>
            <table>
              <thead>
                <tr>
                  {block.head.map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {block.rows.map((row, index) => (
                  <tr key={index}>
                    {row.map((cell, at) => (
                      <td key={at} data-name={block.head[at]}>
                        <div>
                          <Placed item={typeof cell === "string" ? { text: cell } : cell} show={show} />
                        </div>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      );
  }
}

function Placed({ item: { text, page }, show }: { item: Item; show: Show }) {
  return (
    <>
      <Inline text={text} /> {page !== undefined && <PageLink {...{ page, show }} />}
    </>
  );
}

function PageLink({ page, show }: { page: number; show: Show }) {
  if (show === undefined) return <span>Page {page}</span>;
  return (
    <button type="button" class="plain" onClick={() => show(page)}>
      Page {page}
    </button>
  );
}

interface ShownPageProps extends Pick<Props, "passwords"> {
  readonly source: Blob | string;
  readonly page: number;
  readonly turnTo: (page: number) => void;
}

function ShownPage({ source, passwords, page, turnTo }: ShownPageProps) {
  const pdf = usePdf(source, passwords);
  const frame = useRef<HTMLDivElement>(null);
  // It is below the report, where it might not be seen.
  useEffect(() => frame.current?.scrollIntoView({ block: "nearest" }), [page, pdf.state]);
  if (pdf.state === "locked" || pdf.state === "failed") return <p class="quiet">The pages cannot be shown.</p>;
  if (pdf.state !== "open") return null;
  return (
    <div class="shown-page" ref={frame}>
      <PageTurner page={page} pageCount={pdf.document.numPages} turnTo={turnTo} />
      <PdfPage document={pdf.document} page={page} />
    </div>
  );
}
