import { useState } from "preact/hooks";
import { Inline } from "../../parts/prose.tsx";
import { number } from "../../parts/figures.ts";
import { PageTurner } from "../pages/page-turner.tsx";
import { PdfPage } from "../pages/pdf-page.tsx";
import { usePdf } from "../pages/use-pdf.ts";
import {
  type ConformanceReport,
  conformanceVerdict,
  documentVerdict,
  integrityOf,
  isConformanceReport,
  isSignatureReport,
  type Signature,
  type SignatureReport,
  signedBy,
  trustOf,
  type Verdict,
} from "./words.ts";

interface Props {
  readonly report: SignatureReport | ConformanceReport;
  /** The document that it is about, if it is known. */
  readonly source: Blob | string | undefined;
  readonly passwords: readonly string[];
}

/** The report in a JSON result, if it is one that is shown in words. */
export const reportIn = (json: unknown): SignatureReport | ConformanceReport | undefined =>
  isSignatureReport(json) || isConformanceReport(json) ? json : undefined;

/** A verdict in words, and the page that a finding is on. */
export function ReportView({ report, source, passwords }: Props) {
  const [page, setPage] = useState<number>();
  const show = source === undefined ? undefined : setPage;
  return (
    <div class="report">
      {isSignatureReport(report) ? (
        <Signatures report={report} show={show} />
      ) : (
        <Conformance report={report} show={show} />
      )}
      {page !== undefined && source !== undefined && <ShownPage {...{ source, passwords, page }} turnTo={setPage} />}
    </div>
  );
}

/** Shows a page of the document; undefined if the document is not known. */
type Show = ((page: number) => void) | undefined;

const Said = ({ verdict: { tone, text } }: { verdict: Verdict }) => (
  <p class="verdict" data-tone={tone}>
    <Inline text={text} />
  </p>
);

function Signatures({ report, show }: { report: SignatureReport; show: Show }) {
  return (
    <>
      <Said verdict={documentVerdict(report)} />
      <ol class="signatures" aria-label="Signatures">
        {report.signatures.map((signature) => (
          <li key={signature.field}>
            <OneSignature {...{ signature, show }} />
          </li>
        ))}
      </ol>
    </>
  );
}

function OneSignature({ signature, show }: { signature: Signature; show: Show }) {
  const { changes, field, signer, signingReason, location } = signature;
  return (
    <>
      <h3>{signedBy(signature)}</h3>
      <Said verdict={integrityOf(signature)} />
      <Said verdict={trustOf(signature)} />
      <p class="quiet">
        Field {field}
        {signingReason !== undefined && `, reason: ${signingReason}`}
        {location !== undefined && `, location: ${location}`}
        {signer !== null && `, certificate: ${signer.subject}`}
      </p>
      {changes.length > 0 && (
        <ul aria-label="Changes since">
          {changes.map(({ text, page, allowed, coversContent }, index) => (
            <li key={index} data-tone={allowed ? undefined : "bad"}>
              {text} {!allowed && <strong>Not allowed.</strong>}{" "}
              {coversContent === true && <strong>It covers text or images of the signed page.</strong>}{" "}
              <PageLink {...{ page, show }} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function PageLink({ page, show }: { page: number | null | undefined; show: Show }) {
  if (page === null || page === undefined) return null;
  if (show === undefined) return <span>Page {page}</span>;
  return (
    <button type="button" class="plain" onClick={() => show(page)}>
      Page {page}
    </button>
  );
}

function Conformance({ report, show }: { report: ConformanceReport; show: Show }) {
  const { failures, coverage } = report;
  return (
    <>
      <Said verdict={conformanceVerdict(report)} />
      <p class="quiet">
        {coverage.rules} of {coverage.of} rules were checked.
      </p>
      {failures.length > 0 && (
        <div class="scrolls" tabIndex={0} role="group" aria-label="Broken rules">
          <table>
            <thead>
              <tr>
                <th>Clause</th>
                <th>Problem</th>
                <th>Times</th>
                <th>First at</th>
              </tr>
            </thead>
            <tbody>
              {failures.map(({ clause, test, message, count, first }) => (
                <tr key={`${clause}-${test}`}>
                  <td>
                    <code>
                      {clause}-{test}
                    </code>
                  </td>
                  <td>
                    <Inline text={message} />
                  </td>
                  <td>{number(count)}</td>
                  <td>
                    <PageLink page={first.page} show={show} />
                    {first.object !== null && <div>Object {first.object}</div>}
                    {first.context !== null && <div class="quiet">{first.context}</div>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

interface ShownPageProps extends Pick<Props, "passwords"> {
  readonly source: Blob | string;
  readonly page: number;
  readonly turnTo: (page: number) => void;
}

function ShownPage({ source, passwords, page, turnTo }: ShownPageProps) {
  const pdf = usePdf(source, passwords);
  if (pdf.state === "locked" || pdf.state === "failed") return <p class="quiet">The pages cannot be shown.</p>;
  if (pdf.state !== "open") return null;
  return (
    <>
      <PageTurner page={page} pageCount={pdf.document.numPages} turnTo={turnTo} />
      <PdfPage document={pdf.document} page={page} />
    </>
  );
}
