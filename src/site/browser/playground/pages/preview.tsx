import { useEffect, useState } from "preact/hooks";
import type { FormValues } from "../../../description/form-values.ts";
import { readMembers } from "../json-input.tsx";
import type { FormField, Widget } from "./form-fields.ts";
import { pagesIn } from "./page-selection.ts";
import { PageTurner } from "./page-turner.tsx";
import { PdfPage } from "./pdf-page.tsx";
import type { PDFDocumentProxy } from "./pdfjs.ts";
import { hasStamp, type PageSize, StampPreview } from "./stamp-preview.tsx";

interface Props {
  readonly document: PDFDocumentProxy;
  readonly operation: string;
  readonly values: FormValues;
  /** The fields of the document's form, where they are filled in. */
  readonly formFields: readonly FormField[] | undefined;
  /** The field that is being filled in. */
  readonly spot: Widget | undefined;
}

/** A page of the input with what the operation will put on it, before it is run. */
export function Preview({ document, operation, values, formFields, spot }: Props) {
  const [turnedTo, setTurnedTo] = useState(1);
  const [size, setSize] = useState<PageSize>({ width: 595, height: 842 });
  const { numPages } = document;
  const page = Math.min(turnedTo, numPages);
  useEffect(() => {
    if (spot) setTurnedTo(spot.page);
  }, [spot]);
  const stamped = pagesIn(values.texts["pages"] || "all", numPages)?.includes(page) ?? false;
  return (
    <div class="compare">
      <PageTurner page={page} pageCount={numPages} turnTo={setTurnedTo} />
      <div class="sides">
        <PdfPage document={document} page={page} sized={(width, height) => setSize({ width, height })} />
        <svg class="overlay" viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label="Preview">
          {hasStamp(operation) && stamped && (
            <StampPreview {...{ operation, values, page, size }} pageCount={numPages} />
          )}
          {formFields && (
            <Widgets {...{ document, page, spot }} fields={formFields} text={values.texts["values"] ?? ""} />
          )}
        </svg>
      </div>
      {hasStamp(operation) && <p class="quiet">A sketch: fonts can differ a little in the result.</p>}
    </div>
  );
}

interface WidgetsProps extends Pick<Props, "document" | "spot"> {
  readonly page: number;
  readonly fields: readonly FormField[];
  /** The values, as JSON. */
  readonly text: string;
}

/** The fields of a page: where they are, and the texts that will be in them. */
function Widgets({ document, page, fields, spot, text }: WidgetsProps) {
  const [toView, setToView] = useState<(widget: Widget) => readonly number[]>();
  useEffect(() => {
    let isCurrent = true;
    setToView(undefined);
    document.getPage(page).then(
      (shown) => {
        const viewport = shown.getViewport({ scale: 1 });
        const of = ({ rect: [x0, y0, x1, y1] }: Widget): readonly number[] => [
          ...(viewport.convertToViewportPoint(x0, y0) as number[]),
          ...(viewport.convertToViewportPoint(x1, y1) as number[]),
        ];
        if (isCurrent) setToView(() => of);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [document, page]);
  if (toView === undefined) return null;
  const members = readMembers(text) ?? {};
  return (
    <>
      {fields.flatMap((field) =>
        field.widgets
          .filter((widget) => widget.page === page)
          .map((widget, index) => {
            const [xa = 0, ya = 0, xb = 0, yb = 0] = toView(widget);
            const [x, y, width, height] = [Math.min(xa, xb), Math.min(ya, yb), Math.abs(xb - xa), Math.abs(yb - ya)];
            const value = members[field.name];
            const shown =
              field.kind === "checkbox" ? (value === true ? "✓" : "") : typeof value === "string" ? value : "";
            const isSpot = widget === spot;
            return (
              <g key={`${field.name} ${index}`} class={`widget${isSpot ? " spot" : ""}`}>
                <rect x={x} y={y} width={width} height={height} rx={1.5} />
                {shown !== "" && (field.kind !== "choice" || field.widgets.length === 1) && (
                  <text x={x + 3} y={y + Math.min(height, 16) * 0.75} font-size={Math.min(11, height * 0.7)}>
                    {shown}
                  </text>
                )}
              </g>
            );
          }),
      )}
    </>
  );
}
