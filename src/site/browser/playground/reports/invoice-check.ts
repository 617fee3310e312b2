/** The report of `invoice` with `action=inspect` in words. */
import { number } from "../../parts/figures.ts";
import { type Block, counted, factsOf, has, listOf, tableOf, type Verdict, verdict } from "./blocks.ts";

export interface InvoiceCheck {
  readonly conforms: false | null;
  readonly coverage: { readonly rules: number; readonly of: number } | null;
  readonly container: {
    readonly attachment: { readonly name: string; readonly relationship: string | null };
    readonly pdfa: { readonly profile: string; readonly claimed: string | null; readonly conforms: boolean | null };
    readonly xmp: { readonly conformanceLevel: string | null; readonly documentFileName: string | null } | null;
  } | null;
  readonly xml: InvoiceFormat | null;
  readonly failures: readonly {
    readonly rule: string;
    readonly message: string;
    readonly count: number;
    readonly path: string;
  }[];
  readonly notChecked: readonly { readonly rules: string; readonly count: number | null; readonly reason: string }[];
}

export interface InvoiceFormat {
  readonly standard: string | null;
  readonly profile: string | null;
  readonly version: string | null;
  readonly syntax: string;
}

export const isInvoiceCheck = (json: unknown): json is InvoiceCheck => has(json, "container", "xml", "notChecked");

export function invoiceCheckBlocks(report: InvoiceCheck): Block[] {
  const { container, xml, failures, notChecked } = report;
  const row = ({ rule, message, count, path }: InvoiceCheck["failures"][number]) => [
    `\`${rule}\``,
    message,
    number(count),
    `\`${path}\``,
  ];
  return [
    checkVerdict(report),
    ...factsOf("Invoice", {
      Format: xml && formatInWords(xml),
      Attachment: container && container.attachment.name,
      "PDF around it": container && pdfInWords(container.pdfa),
      Metadata:
        container &&
        (container.xmp === null
          ? "None about the invoice"
          : `${container.xmp.documentFileName ?? "no file"}, profile ${container.xmp.conformanceLevel ?? "missing"}`),
    }),
    ...tableOf("Broken rules", ["Rule", "Problem", "Times", "First at"], failures.map(row)),
    ...listOf(
      "Not checked",
      notChecked.map(({ rules, count, reason }) => ({
        text: `${rules}${count === null ? "" : ` (${counted(count, "rule")})`}: ${reason}`,
      })),
    ),
  ];
}

function checkVerdict({ conforms, coverage, failures, xml }: InvoiceCheck): Verdict {
  const checked = coverage === null ? "" : ` ${coverage.rules} of ${coverage.of} rules were checked.`;
  if (xml === null) return verdict("bad", "The invoice cannot be read.");
  if (conforms === false)
    return verdict("bad", `The invoice is not correct: it breaks ${counted(failures.length, "rule")}.${checked}`);
  return verdict("unsure", `No broken rule was found, but not all rules can be checked.${checked}`);
}

/** `Factur-X 1.0, profile EN 16931, as CII`. */
export function formatInWords({ standard, profile, version, syntax }: InvoiceFormat): string {
  const name = standard === null ? "An unknown standard" : [standard, ...(version === null ? [] : [version])].join(" ");
  return `${name}${profile === null || profile === standard ? "" : `, profile ${profile}`}, as ${syntax}`;
}

function pdfInWords({ profile, claimed, conforms }: NonNullable<InvoiceCheck["container"]>["pdfa"]): string {
  const claim = claimed === null ? "claims no PDF/A" : `claims PDF/A-${claimed}`;
  if (conforms === null) return `Not fully checked against PDF/A-${profile}; ${claim}`;
  return `${conforms ? "Conforms" : "Does not conform"} to PDF/A-${profile}; ${claim}`;
}
