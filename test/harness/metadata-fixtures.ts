import { concatenate, latin1, pdf, type PdfObject } from "./pdf-writer.ts";

export interface SmallOptions {
  /** Entries of the Info dictionary in PDF syntax; no dictionary without. */
  readonly info?: string;
  /** Bytes of the XMP packet. */
  readonly xmp?: Uint8Array;
  /** Further entries of the catalog, and the objects from number 6 on that they may refer to. */
  readonly catalog?: string;
  readonly objects?: readonly PdfObject[];
  /** Further entries of the page. */
  readonly page?: string;
}

/** A PDF of one empty page: 1 catalog, 2 pages, 3 page, 4 Info, 5 XMP. */
export function smallDocument({ info, xmp, catalog = "", objects = [], page = "" }: SmallOptions): Uint8Array {
  const metadata: PdfObject = xmp ? { entries: "/Type /Metadata /Subtype /XML", data: xmp } : "null";
  return pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${xmp ? "/Metadata 5 0 R" : ""} ${catalog} >>`,
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Resources << >> ${page} >>`,
      info === undefined ? "null" : `<< ${info} >>`,
      metadata,
      ...objects,
    ],
    `/Root 1 0 R ${info === undefined ? "" : "/Info 4 0 R"} /ID [<01> <01>]`,
  );
}

/** A packet around properties, the namespaces of which are declared. */
export function xmpPacket(properties: string, attributes = ""): Uint8Array {
  return new TextEncoder().encode(
    `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">` +
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""` +
      ` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"` +
      ` xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" ${attributes}>` +
      `${properties}</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>`,
  );
}

/** The document with one object in a new state, appended as an incremental update. */
export function withRevision(bytes: Uint8Array, number: number, object: string): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  const previous = text
    .slice(text.lastIndexOf("startxref") + 9)
    .trim()
    .split("\n")[0];
  const trailer = text
    .slice(text.lastIndexOf("trailer\n<<") + 10, text.lastIndexOf(">>\nstartxref"))
    .replace(/\/Prev \d+/, "");
  const body = `${number} 0 obj\n${object}\nendobj\n`;
  const xref = `xref\n${number} 1\n${String(bytes.length).padStart(10, "0")} 00000 n \n`;
  const end = `trailer\n<<${trailer}/Prev ${previous} >>\nstartxref\n${bytes.length + body.length}\n%%EOF\n`;
  return concatenate([bytes, latin1(body + xref + end)]);
}

export interface SignedOptions {
  readonly certified?: boolean;
  /** Entries of the signature that say what it allows. */
  readonly reference?: string;
  /** References to fields beside the signature's, their objects from number 8 on, and the page's annotations. */
  readonly fields?: string;
  readonly objects?: readonly PdfObject[];
  readonly page?: string;
}

/** Hexadecimal digits of the place of a signature. */
const PLACE = 4_096;

/** A document with a signature over all its bytes but the signature's own place, which `withSignature` fills. */
export function signedDocument(options: SignedOptions = {}): Uint8Array {
  const { certified = false, fields = "", objects = [], page = "" } = options;
  const { reference = certified ? "/Reference [<< /Type /SigRef /TransformMethod /DocMDP >>]" : "" } = options;
  const place = "0".repeat(PLACE);
  const signature =
    "<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /ByteRange [0 AAAAAAAAAA BBBBBBBBBB CCCCCCCCCC]" +
    ` /Contents <${place}> ${reference} >>`;
  const field = "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Signature) /Rect [0 0 0 0] /F 132 /P 3 0 R /V 7 0 R >>";
  const bytes = smallDocument({
    info: "/Title (Signed title) /Author (Signer)",
    xmp: xmpPacket('<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Signed title</rdf:li></rdf:Alt></dc:title>'),
    catalog: `/AcroForm << /Fields [6 0 R ${fields}] /SigFlags 3 >> ${certified ? "/Perms << /DocMDP 7 0 R >>" : ""}`,
    objects: [field, signature, ...objects],
    page,
  });
  const text = Buffer.from(bytes).toString("latin1");
  const start = text.indexOf(`<${place}>`);
  const end = start + place.length + 2;
  const fill = (all: string, mark: string, value: number): string => all.replace(mark, String(value).padEnd(10));
  return latin1(fill(fill(fill(text, "AAAAAAAAAA", start), "BBBBBBBBBB", end), "CCCCCCCCCC", text.length - end));
}
