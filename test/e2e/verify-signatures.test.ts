import { beforeAll, describe, expect, test } from "vitest";
import { chainPem, issue, type Issued, keyPem } from "../harness/signatures/certificates.ts";
import { pdfPart, post, type Part } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { latin1, pdf } from "../harness/fixtures/pdf-writer.ts";
import { revocationList } from "../harness/signatures/revocation-data.ts";
import { withObjectStreams } from "../harness/fixtures/revision-fixtures.ts";
import { stamp } from "../harness/requests/stamp-calls.ts";
import { handSigned, objectIn, offsetsOf, streamText, update, type Updated } from "../harness/signatures/updates.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();

interface Change {
  readonly kind: string;
  readonly text: string;
  readonly allowed: boolean;
  readonly page?: number;
  readonly field?: string;
}
interface Report {
  readonly documentIntact: boolean;
  readonly signatures: readonly {
    readonly field: string;
    readonly integrity: string;
    readonly coverage: string;
    readonly changesAfter: string;
    readonly changes: readonly Change[];
    readonly chain: string;
    readonly reason?: string;
    readonly docMdp?: string;
  }[];
}

/** Verifies the signatures of a file. */
async function verify(bytes: Uint8Array, fields: Readonly<Record<string, Part>> = {}): Promise<Report> {
  const { status, body } = await post({ baseUrl, key: liveKey }, "verify-signatures", {
    file: pdfPart(bytes),
    ...fields,
  });
  const text = new TextDecoder().decode(body);
  expect(status, text).toBe(200);
  return JSON.parse(text) as Report;
}

const root = await issue({ subject: "Root", isAuthority: true });
const ada = await issue({ subject: "Ada, Countess", issuer: root });
const credentials = async (one: Issued, ...issuers: readonly Issued[]): Promise<Record<string, Part>> => ({
  privateKey: await keyPem(one),
  chain: chainPem(one, ...issuers),
});
const trust = chainPem(root);
const letter = document({ name: "letter", pages: 2 });

/** Objects of the form that is signed. */
const [CATALOG, PAGES, PAGE, FONT, CONTENT, FORM, FIELD, LINK, SHARED, APPEARANCE] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const [HIDDEN, INFO, FREE] = [12, 13, 60];
const box = (content: string): string =>
  streamText(content, "/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F 4 0 R >> >>");

/** A form with a text field, a link, and a picture that the page and a second field share. `catalog`: more entries. */
const form = (catalog = "", field = "", hidden = "BT /F 12 Tf 20 250 Td (Pay 999) Tj ET"): Uint8Array =>
  pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R /AcroForm 6 0 R ${catalog} >>`,
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 5 0 R /Annots [7 0 R 8 0 R 11 0 R] /Resources << /Font << /F 4 0 R >> /XObject << /X 9 0 R /Y 40 0 R >> >> >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      streamText("BT /F 12 Tf 20 250 Td (Pay 100) Tj ET /X Do /Y Do"),
      `<< /Fields [7 0 R 11 0 R ${field && "14 0 R"}] /DA (/F 12 Tf) /DR << /Font << /F 4 0 R >> >> >>`,
      "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /F 4 /Rect [20 20 220 40] /P 3 0 R /DA (/F 12 Tf) /AP << /N 10 0 R >> >>",
      "<< /Type /Annot /Subtype /Link /Rect [20 60 220 80] /A << /S /URI /URI (https://example.com) >> >>",
      box("BT /F 12 Tf (shared) Tj ET"),
      box("/Tx BMC BT /F 12 Tf (Ada) Tj ET EMC"),
      "<< /Type /Annot /Subtype /Widget /FT /Tx /T (other) /F 4 /Rect [20 90 220 110] /P 3 0 R /DA (/F 12 Tf) /AP << /N 9 0 R >> >>",
      streamText(hidden),
      "<< /Title (Contract) >>",
      field || "null",
    ],
    "/Root 1 0 R /Info 13 0 R",
  );

const seal = async (bytes: Uint8Array, fields: Readonly<Record<string, Part>> = {}): Promise<Uint8Array> =>
  (await stamp("seal", bytes, { ...(await credentials(ada, root)), ...fields })).body;

/** The only signature in a report. */
function only({ signatures }: Report): Report["signatures"][number] {
  const [signature] = signatures;
  if (signature === undefined || signatures.length > 1) throw new Error(`there are ${signatures.length} signatures`);
  return signature;
}

describe("intact signatures", () => {
  test.each(["RSA-2048", "P-256", "P-384"] as const)(
    "a signature by %s is trusted up to a root in the request",
    async (kind) => {
      const one = await issue({ subject: 'Zoë "Z", Inc.', kind, issuer: root });
      const signed = await seal(letter, { ...(await credentials(one, root)), digest: "sha512", reason: "Approved" });
      const report = await verify(signed, { trust });
      expect(report).toMatchObject({
        documentIntact: true,
        signatures: [
          {
            field: "Signature1",
            kind: "signature",
            format: "ETSI.CAdES.detached",
            level: "b-b",
            integrity: "intact",
            coverage: "whole-document",
            changesAfter: "none",
            changes: [],
            chain: "trusted",
            timeSource: "signer",
            signingReason: "Approved",
            signer: { subject: String.raw`CN=Zoë \"Z\"\, Inc.`, issuer: "CN=Root" },
          },
        ],
      });
      expect(only(report).reason).toBeUndefined();
    },
  );

  test("a signature in an encrypted file and one with object streams are intact", async () => {
    const secret = await encrypt(letter, { cipher: "aes-256", userPassword: "secret", ownerPassword: "owner" });
    const signed = await seal(secret, { password: "secret" });
    expect(await verify(signed, { password: "secret", trust })).toMatchObject({ documentIntact: true });
    expect(await verify(await seal(await withObjectStreams(form())), { trust })).toMatchObject({
      documentIntact: true,
    });
  });

  test("a signature made by OpenSSL is intact", async () => {
    for (const options of [[], ["-md", "sha384"], ["-cades"], ["-keyid"]]) {
      const signer = await issue({ subject: "Ada", issuer: root, kind: "RSA-2048", keyIdentifier: true });
      expect(await verify(await handSigned({ signer, options }), { trust })).toMatchObject({ documentIntact: true });
    }
  });

  test("a document without a signature has an empty list", async () => {
    expect(await verify(letter)).toEqual({ signatures: [], documentIntact: false });
  });
});

describe("certificate chain", () => {
  test("the chain is not trusted without roots, or with others", async () => {
    const signed = await seal(letter);
    expect(only(await verify(signed))).toMatchObject({ chain: "untrusted", reason: "No roots were sent in `trust`." });
    const other = await issue({ subject: "Root", isAuthority: true });
    const report = await verify(signed, { trust: chainPem(other) });
    expect(only(report)).toMatchObject({ chain: "untrusted", integrity: "intact" });
    expect(only(report).reason).toContain("CN=Root is self-signed, and not among the roots");
  });

  test("the chain is unknown if an issuer is missing", async () => {
    const middle = await issue({ subject: "Middle", issuer: root, isAuthority: true });
    const one = await issue({ subject: "One", issuer: middle });
    const without = await seal(letter, await credentials(one));
    expect(only(await verify(without, { trust }))).toMatchObject({
      chain: "unknown",
      reason: "The certificate of the issuer CN=Middle is missing.",
    });
    const complete = await seal(letter, await credentials(one, middle));
    expect(only(await verify(complete, { trust }))).toMatchObject({ chain: "trusted" });
  });

  test("the chain is not trusted through a certificate that must not issue others", async () => {
    const middle = await issue({ subject: "Middle", issuer: root });
    const one = await issue({ subject: "One", issuer: middle });
    const signed = await seal(letter, await credentials(one, middle, root));
    expect(only(await verify(signed, { trust }))).toMatchObject({
      chain: "untrusted",
      reason: "The certificate of CN=Middle must not issue the one below it.",
    });
  });

  test("the chain is not trusted if the certificate is not for signatures", async () => {
    const signer = await issue({ subject: "Authority", issuer: root, kind: "RSA-2048", usage: 0b0000_0110 });
    expect(only(await verify(await handSigned({ signer }), { trust }))).toMatchObject({
      integrity: "intact",
      chain: "untrusted",
      reason: "The certificate of CN=Authority is not for signatures.",
    });
  });

  test("the chain is not trusted if the certificate is for servers only", async () => {
    const server = await issue({ subject: "Server", issuer: root, purposes: ["1.3.6.1.5.5.7.3.1"] });
    expect(only(await verify(await seal(letter, await credentials(server)), { trust }))).toMatchObject({
      integrity: "intact",
      chain: "untrusted",
      reason: "The certificate of CN=Server is not for documents or e-mail.",
    });
    const mail = await issue({ subject: "Mail", issuer: root, purposes: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.4"] });
    expect(only(await verify(await seal(letter, await credentials(mail)), { trust })).chain).toBe("trusted");
  });

  test("the chain is expired if one of its certificates is", async () => {
    const old = await issue({ subject: "Old", isAuthority: true, valid: [-20, -10] });
    const one = await issue({ subject: "One", issuer: old });
    const report = await verify(await seal(letter, await credentials(one, old)), { trust: chainPem(old) });
    expect(only(report).chain).toBe("expired");
    expect(only(report).reason).toMatch(/^The certificate of CN=Old expired on \d{4}-\d\d-\d\d\.$/);
  });

  test.each([
    ["no certificate", "none"],
    ["what is no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"],
  ])("invalid roots are refused: %s", async (_, text) => {
    const { status, code } = await post({ baseUrl, key: liveKey }, "verify-signatures", {
      file: pdfPart(letter),
      trust: text,
    });
    expect([status, code]).toEqual([400, "invalid_certificate"]);
  });
});

describe("document security store", () => {
  /** The form, signed, with the same list a number of times in the store, before another one. */
  async function withStore(list: string, count: number, last = ""): Promise<Uint8Array> {
    const signed = await seal(form());
    const lists = Array.from({ length: count }, (_, index) => [FREE + 1 + index, streamText(list)] as const);
    const all = new Map([...lists, [FREE + 1 + count, streamText(last)]]);
    return update(signed, {
      [CATALOG]: objectIn(signed, CATALOG).replace(/>>$/, `/DSS ${FREE} 0 R >>`),
      [FREE]: `<< /Type /DSS /CRLs [${Array.from(all.keys(), (number) => `${number} 0 R`).join(" ")}] >>`,
      ...Object.fromEntries(all),
    });
  }

  test("a list that revokes a certificate is found among unrelated lists", async () => {
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
    const other = text(await revocationList(root));
    const { signatures } = await verify(
      await withStore(other, 500, text(await revocationList(root, { lists: [ada] }))),
      { trust: chainPem(root) },
    );
    expect(signatures[0]).toMatchObject({ integrity: "intact", changesAfter: "allowed", chain: "revoked" });
  });

  test("streams beyond the limit are refused, not left out", async () => {
    const file = pdfPart(await withStore("no list", 1_000));
    const { status, code } = await post({ baseUrl, key: liveKey }, "verify-signatures", { file });
    expect([status, code]).toEqual([413, "limit_exceeded"]);
  });
});

describe("allowed changes", () => {
  test("a form may be filled in and signed again", async () => {
    const signed = await seal(form());
    const { body: filled } = await stamp("fill-form", signed, { values: '{"name":"Grace","other":"Hopper"}' });
    const twice = await seal(filled);
    const { documentIntact, signatures } = await verify(twice, { trust });
    expect(documentIntact).toBe(true);
    expect(signatures.map(({ changesAfter, coverage }) => [coverage, changesAfter])).toEqual([
      ["earlier-revision", "allowed"],
      ["whole-document", "none"],
    ]);
    expect(signatures[0]?.changes.map(({ kind, field }) => [kind, field])).toEqual(
      expect.arrayContaining([
        ["form-field", "name"],
        ["form-field", "other"],
        ["signature", "Signature2"],
      ]),
    );
  });

  test.each<[string, (signed: Uint8Array) => Record<number, Updated>]>([
    [
      "data for validation",
      (signed) => ({
        [CATALOG]: objectIn(signed, CATALOG).replace(/>>$/, "/DSS 60 0 R >>"),
        [FREE]: "<< /Type /DSS >>",
      }),
    ],
    ["the date of the last change", () => ({ [INFO]: "<< /Title (Contract) /ModDate (D:20260101) >>" })],
    ["an object that nothing uses", () => ({ [FREE]: "(new)" })],
    [
      "a security store with all that it may have",
      (signed) => ({
        [CATALOG]: objectIn(signed, CATALOG).replace(/>>$/, "/DSS 60 0 R >>"),
        [FREE]: `<< /Type /DSS /Certs [61 0 R] /OCSPs [61 0 R] /CRLs [61 0 R] /VRI << /${VRI} << /Cert [61 0 R] /TU (D:20260101) >> >> >>`,
        61: streamText("any"),
      }),
    ],
    ["the same objects again", (signed) => ({ [CONTENT]: objectIn(signed, CONTENT), [PAGE]: objectIn(signed, PAGE) })],
  ])("a harmless change is allowed: %s", async (_, change) => {
    const signed = await seal(form(), { certify: "no-changes" });
    const { documentIntact, signatures } = await verify(update(signed, change(signed)));
    expect(signatures[0]?.changes.filter(({ allowed }) => !allowed)).toEqual([]);
    expect(documentIntact).toBe(true);
  });

  test("an update with a cross-reference stream and an object stream is allowed", async () => {
    const signed = await seal(form());
    const plain = updateWithStream(signed, { 60: "(new)" });
    const inStream = updateWithStream(
      signed,
      { 61: packed({ 60: "(new)", 62: "[1 2]" }) },
      { rows: { 60: [2, 61, 0], 62: [2, 61, 1] } },
    );
    const lengths = update(signed, { 60: streamText("x").replace("Length 1", "Length 61 0 R"), 61: "1" });
    for (const file of [plain, inStream, lengths, update(inStream, { 63: "(newer)" })]) {
      const { documentIntact, signatures } = await verify(file);
      expect(signatures[0]?.changes).toEqual([]);
      expect(documentIntact).toBe(true);
    }
  });

  test("an object is allowed if a trailer names one that does not exist", async () => {
    const before = update(form(), { 61: "(new)" }, "/Root 1 0 R /Info 13 0 R /AdditionalStreams [60 0 R]");
    const { documentIntact } = await verify(update(await seal(before), { [FREE]: "(new)" }));
    expect(documentIntact).toBe(true);
  });

  test("a visible field has its place, and says whether it covers signed content", async () => {
    const signed = await seal(form());
    const place = (y: number): string => JSON.stringify({ page: 1, x: 20, y, width: 200, height: 40 });
    const changesOf = async (file: Uint8Array) => (await verify(file)).signatures[0]?.changes;
    const over = { page: 1, box: { x: 20, y: 20, width: 200, height: 40 }, coversContent: true, allowed: true };
    expect(await changesOf(await seal(signed, { field: place(20) }))).toContainEqual(
      expect.objectContaining({ kind: "signature", field: "Signature2", ...over }),
    );
    const beside = { box: { x: 20, y: 120, width: 200, height: 40 }, coversContent: false, allowed: true };
    expect(await changesOf(await seal(signed, { field: place(120) }))).toContainEqual(expect.objectContaining(beside));
    const [unseen] = (await changesOf(await seal(signed)))?.filter(({ kind }) => kind === "signature") ?? [];
    expect(unseen).toBeDefined();
    expect(unseen).not.toHaveProperty("box");
    const { body: filled } = await stamp("fill-form", signed, { values: '{"name":"Grace"}' });
    expect(await changesOf(filled)).toContainEqual(
      expect.objectContaining({
        field: "name",
        page: 1,
        box: { x: 20, y: 260, width: 200, height: 20 },
        coversContent: false,
      }),
    );
  });

  test("comments are allowed in the form that writers produce", async () => {
    const file = update(await seal(form()), { [FREE]: "(new)" });
    for (const comment of ["%iText-7.1.5", "% a\n% b", "%"]) {
      const { documentIntact } = await verify(withLast(file, "startxref", `${comment}\nstartxref`));
      expect(documentIntact, comment).toBe(true);
    }
    for (const other of ["5 0 obj", "% 5 0 obj", "(text)"]) {
      const { documentIntact } = await verify(withLast(file, "startxref", `${other}\nstartxref`));
      expect(documentIntact, other).toBe(false);
    }
  });

  test("a file identifier is allowed if there was none", async () => {
    const signed = await handSigned({ signer: ada });
    expect(idIn(signed)).toBe("");
    const twice = await seal(signed);
    const { documentIntact, signatures } = await verify(twice);
    expect([idIn(twice), documentIntact]).toEqual([expect.stringMatching(/^\/ID/), true]);
    expect(signatures.map(({ changesAfter }) => changesAfter)).toEqual(["allowed", "none"]);
    const { changes } =
      (await verify(update(twice, { [FREE]: "(new)" }, `/Root 1 0 R /ID [<00> <00>]`))).signatures[1] ?? {};
    expect(changes).toMatchObject([{ text: "The trailer has another `ID`.", allowed: false }]);
  });

  test("an annotation is allowed only where the certification permits it", async () => {
    const change = (signed: Uint8Array): Uint8Array =>
      update(signed, {
        [PAGE]: objectIn(signed, PAGE).replace("8 0 R", "8 0 R 60 0 R"),
        [FREE]: "<< /Type /Annot /Subtype /Text /Rect [0 0 20 20] /Contents (Hello) >>",
      });
    const verdicts = ["annotations", "form-filling", undefined].map(async (certify) => {
      const { signatures } = await verify(change(await seal(form(), certify === undefined ? {} : { certify })));
      return [signatures[0]?.docMdp, signatures[0]?.changesAfter, signatures[0]?.changes[0]?.page];
    });
    expect(await Promise.all(verdicts)).toEqual([
      ["annotations", "allowed", 1],
      ["form-filling", "forbidden", 1],
      [undefined, "forbidden", 1],
    ]);
  });
});

/** The name of the entry of a signature in a security store. */
const VRI = "0123456789ABCDEF".repeat(3).slice(0, 40);

/** A form with a check box. */
const checkBox = form(
  "",
  "<< /FT /Btn /T (box) /V /Off /AS /Off /Type /Annot /Subtype /Widget /F 4 /Rect [20 120 40 140] /P 3 0 R /AP << /N << /Yes 12 0 R /Off 10 0 R >> >> >>",
);

/** The form with a field more. */
const withField = (file: Uint8Array, field: string): Uint8Array =>
  update(file, {
    [FORM]: objectIn(file, FORM).replace("7 0 R", "7 0 R 60 0 R"),
    [PAGE]: objectIn(file, PAGE).replace("7 0 R", "7 0 R 60 0 R"),
    [FREE]: field,
  });

/** The file with the last occurrence of a text replaced. */
const withLast = (file: Uint8Array, from: string, to: string): Uint8Array => {
  const text = Buffer.from(file).toString("latin1");
  const at = text.lastIndexOf(from);
  return latin1(text.slice(0, at) + to + text.slice(at + from.length));
};

const EVIL = streamText("BT /F 12 Tf 20 250 Td (Pay 999) Tj ET");
const WIDGET = "/Type /Annot /Subtype /Widget /F 4 /Rect [20 120 40 140] /P 3 0 R";

/** A form with a field below another. */
const nested = update(form("", "<< /FT /Tx /T (third) /Kids [60 0 R] >>"), {
  [FREE]: `<< /T (kid) /Parent 14 0 R ${WIDGET} /AP << /N 12 0 R >> >>`,
  [PAGE]: objectIn(form(), PAGE).replace("7 0 R", "7 0 R 60 0 R"),
});

const storeOf = (entries: string) => (file: Uint8Array) =>
  update(file, { [CATALOG]: objectIn(file, CATALOG).replace(/>>$/, `/DSS << ${entries} >> >>`) });

/** The identifier of a file, as its trailer has it. */
const idIn = (file: Uint8Array): string => /\/ID\s*\[[^\]]*\]/.exec(Buffer.from(file).toString("latin1"))?.[0] ?? "";

/** Attacks on a signed form: what is appended to it. */
const ATTACKS: readonly [name: string, (signed: Uint8Array) => Uint8Array, base?: Uint8Array][] = [
  ["other content", (file) => update(file, { [CONTENT]: streamText("BT /F 12 Tf 20 250 Td (Pay 999) Tj ET") })],
  [
    "content by the same number elsewhere in the signed bytes",
    (file) => update(file, { [CONTENT]: { at: offsetsOf(file, CONTENT)[1] ?? 0 } }),
    form("", "", `\n5 0 obj\n${streamText("BT /F 12 Tf 20 250 Td (Pay 999) Tj ET")}\nendobj\n`),
  ],
  [
    "a page with other content",
    (file) => update(file, { [PAGE]: objectIn(file, PAGE).replace("/Contents 5 0 R", "/Contents 12 0 R") }),
  ],
  ["another font", (file) => update(file, { [FONT]: "<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>" })],
  [
    "a page that is cut",
    (file) => update(file, { [PAGE]: objectIn(file, PAGE).replace(/>>$/, "/CropBox [0 0 9 9] >>") }),
  ],
  [
    "a page more",
    (file) =>
      update(file, {
        [PAGES]: "<< /Type /Pages /Kids [3 0 R 60 0 R] /Count 2 >>",
        [FREE]: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
      }),
  ],
  [
    "another page in its place",
    (file) =>
      update(file, {
        [PAGES]: "<< /Type /Pages /Kids [60 0 R] /Count 1 >>",
        [FREE]: objectIn(file, PAGE).replace("/Contents 5 0 R", "/Contents 12 0 R"),
      }),
  ],
  [
    "another catalog",
    (file) => update(file, { [FREE]: objectIn(file, CATALOG) }, `/Root 60 0 R /Info 13 0 R ${idIn(file)}`),
  ],
  [
    "an action when it is opened",
    (file) =>
      update(file, {
        [CATALOG]: objectIn(file, CATALOG).replace(/>>$/, "/OpenAction << /S /JavaScript /JS (0) >> >>"),
      }),
  ],
  ["an object that was missing", (file) => update(file, { 40: box("BT /F 99 Tf (Pay 999) Tj ET") })],
  [
    "the appearance of a field, not its value",
    (file) => update(file, { [APPEARANCE]: box("BT /F 12 Tf (Eve) Tj ET") }),
  ],
  [
    "another appearance of a field, not its value",
    (file) => update(file, { [FIELD]: objectIn(file, FIELD).replace("/N 10 0 R", "/N 60 0 R"), [FREE]: box("(Eve)") }),
  ],
  [
    "a field that is filled in, with an appearance that the page shares",
    (file) =>
      update(file, { 11: objectIn(file, 11).replace("/T (other)", "/T (other) /V (Eve)"), [SHARED]: box("(Eve)") }),
  ],
  [
    "a field elsewhere",
    (file) => update(file, { [FIELD]: objectIn(file, FIELD).replace("[20 20 220 40]", "[0 0 300 300]") }),
  ],
  [
    "a field more",
    (file) =>
      update(file, {
        [FORM]: objectIn(file, FORM).replace("7 0 R", "7 0 R 60 0 R"),
        [PAGE]: objectIn(file, PAGE).replace("7 0 R", "7 0 R 60 0 R"),
        [FREE]: objectIn(file, FIELD).replace("(name)", "(more)"),
      }),
  ],
  [
    "a signature field below another",
    (file) =>
      update(file, {
        [FIELD]: objectIn(file, FIELD).replace("/T (name)", "/T (name) /Kids [60 0 R]"),
        [FREE]: "<< /FT /Sig /T (below) /Parent 7 0 R >>",
      }),
  ],
  ["a signature field with the name of another field", (file) => withField(file, "<< /FT /Sig /T (name) >>")],
  ["a signature field with a name of several parts", (file) => withField(file, "<< /FT /Sig /T (other.part) >>")],
  [
    "a field that is filled in, with an appearance in place of one that is used elsewhere",
    (file) =>
      update(file, {
        14: objectIn(file, 14).replace("/AP 13 0 R", "/V (Eve) /AP << /N 60 0 R >>"),
        [FREE]: box("(Eve)"),
      }),
    form("", "<< /FT /Tx /T (third) /Type /Annot /Subtype /Widget /Rect [20 120 40 140] /P 3 0 R /AP 13 0 R >>"),
  ],
  [
    "a field that is filled in, without its appearance",
    (file) =>
      update(file, {
        [FIELD]: objectIn(file, FIELD)
          .replace("(Ada)", "(Eve)")
          .replace(/\/AP << [^>]* >>/, ""),
      }),
  ],
  [
    "a check box that looks different when it is checked",
    (file) =>
      update(file, {
        14: objectIn(file, 14).replace("/V /Off /AS /Off", "/V /Yes /AS /Yes"),
        [HIDDEN]: box("BT /F 12 Tf (No) Tj ET"),
      }),
    checkBox,
  ],
  ["an object that nothing uses, in place of another", (file) => update(file, { [HIDDEN]: "(new)" })],
  ["an object that nothing uses, deleted", (file) => update(file, { [HIDDEN]: "free" })],
  [
    "a field that is filled in, with its old appearance deleted",
    (file) =>
      update(file, {
        [FIELD]: objectIn(file, FIELD).replace("(Ada)", "(Eve)").replace("/N 10 0 R", "/N 60 0 R"),
        [FREE]: box("BT /F 12 Tf (Eve) Tj ET"),
        [APPEARANCE]: "free",
      }),
  ],
  ["metadata that are no XMP", (file) => update(file, { [HIDDEN]: streamText("<x>") }), form("/Metadata 12 0 R")],
  ["a security store with something else in it", storeOf("/Pages 2 0 R")],
  ["a security store with what is no stream", storeOf("/Certs [6 0 R]")],
  ["a security store with an odd entry for a signature", storeOf("/VRI << /Odd << >> >>")],
  ["a security store with something else for a signature", storeOf(`/VRI << /${VRI} << /Contents 5 0 R >> >>`)],
  [
    "a security store with another entry for a signature",
    (file) => update(file, { [CATALOG]: objectIn(file, CATALOG).replace("(old)", "(new)") }),
    form(`/DSS << /VRI << /${VRI} << /TU (old) >> >> >>`),
  ],
  [
    "a security store that is removed",
    (file) => update(file, { [CATALOG]: objectIn(file, CATALOG).replace("/DSS << /Type /DSS >>", "") }),
    form("/DSS << /Type /DSS >>"),
  ],
  [
    "an object that the cross-references have twice",
    (file) => {
      const row = `5 1\n${String(offsetsOf(file, CONTENT)[0]).padStart(10, "0")} 00000 n \n`;
      return withLast(update(file, { [CONTENT]: EVIL }), "\nxref\n", `\nxref\n${row}`);
    },
  ],
  [
    "cross-references with a row that is too short",
    (file) => withLast(update(file, { [FREE]: "(new)" }), " n \n", " n\n"),
  ],
  [
    "an object that the cross-references do not have",
    (file) => update(file, { [FREE]: `(new)\nendobj\n5 0 obj\n${EVIL}` }),
  ],
  [
    "an update with two cross-references",
    (file) => update(file, { [FREE]: "(new)" }, `/Root 1 0 R /Info 13 0 R ${idIn(file)} /XRefStm 0`),
  ],
  [
    "a trailer that names two catalogs",
    (file) => update(file, { [FREE]: objectIn(file, CATALOG) }, `/Root 60 0 R /Root 1 0 R /Info 13 0 R ${idIn(file)}`),
  ],
  [
    "content that is changed and changed back",
    (file) => update(update(file, { [CONTENT]: EVIL }), { [CONTENT]: objectIn(file, CONTENT) }),
  ],
  [
    "a signature field that is drawn, and not signed",
    (file) =>
      withField(
        file,
        "<< /FT /Sig /T (new) /Type /Annot /Subtype /Widget /Rect [0 0 300 300] /P 3 0 R /AP << /N 12 0 R >> >>",
      ),
  ],
  [
    "a signature field that is also another annotation",
    (file) =>
      withField(
        file,
        "<< /FT /Sig /T (new) /Type /Annot /Subtype /Highlight /Rect [0 0 0 0] /QuadPoints [0 9 9 9 0 0 9 0] /P 3 0 R >>",
      ),
  ],
  [
    "a signature field with an action",
    (file) => withField(file, "<< /FT /Sig /T (new) /Rect [0 0 0 0] /AA << /PO << /S /JavaScript /JS (0) >> >> >>"),
  ],
  [
    "annotations in another order",
    (file) => update(file, { [PAGE]: objectIn(file, PAGE).replace("7 0 R 8 0 R", "8 0 R 7 0 R") }),
  ],
  [
    "a date of a field that is a picture",
    (file) => update(file, { 14: objectIn(file, 14).replace("/M 12 0 R", "/V (Eve) /M 60 0 R"), [FREE]: box("(Eve)") }),
    form("", `<< /FT /Tx /T (third) /M 12 0 R ${WIDGET} >>`),
  ],
  [
    "a value of a field that is a picture",
    (file) => update(file, { 14: objectIn(file, 14).replace("/V 12 0 R", "/V 60 0 R"), [FREE]: box("(Eve)") }),
    form("", `<< /FT /Tx /T (third) /V 12 0 R ${WIDGET} >>`),
  ],
  [
    "a field that is a stream",
    (file) => update(file, { 14: objectIn(file, 14).replace("100", "999") }),
    form("", streamText("BT /F 12 Tf 20 250 Td (Pay 100) Tj ET", `/FT /Tx /T (third) ${WIDGET}`)),
  ],
  [
    "a field below one that is filled in",
    (file) =>
      update(file, {
        14: objectIn(file, 14).replace("/T (third)", "/T (third) /V (Eve)"),
        [FREE]: objectIn(file, FREE).replace("/N 12 0 R", "/N 90 0 R"),
        90: box("(Eve)"),
      }),
    nested,
  ],
  [
    "a push button with a value",
    (file) =>
      update(file, {
        14: objectIn(file, 14).replace("/N 12 0 R", "/N 60 0 R").replace("/Btn", "/Btn /V /x"),
        [FREE]: box("(Eve)"),
      }),
    form("", `<< /FT /Btn /Ff 65536 /T (third) ${WIDGET} /AP << /N 12 0 R >> >>`),
  ],
  [
    "a font that was missing",
    (file) => update(file, { [FORM]: objectIn(file, FORM).replace("/F 4 0 R", "/F 4 0 R /Missing 4 0 R") }),
    form("", `<< /FT /Tx /T (third) /V (Eve) /DA (/Missing 12 Tf) ${WIDGET} >>`),
  ],
  ["a field less", (file) => update(file, { [FORM]: objectIn(file, FORM).replace("7 0 R", "") })],
  ["a field that is on no page", (file) => update(file, { [PAGE]: objectIn(file, PAGE).replace("7 0 R", "") })],
  ["a field that is deleted", (file) => update(file, { [FIELD]: "free" })],
  [
    "a form that draws its fields again",
    (file) => update(file, { [FORM]: objectIn(file, FORM).replace(/>>$/, "/NeedAppearances true >>") }),
  ],
  ["a link elsewhere", (file) => update(file, { [LINK]: objectIn(file, LINK).replace("example.com", "example.org") })],
  [
    "metadata that is also the content",
    (file) => update(file, { [CONTENT]: streamText("BT ET") }),
    form("/Metadata 5 0 R"),
  ],
  [
    "optional content",
    (file) =>
      update(file, { [CATALOG]: objectIn(file, CATALOG).replace(/>>$/, "/OCProperties << /OCGs [] /D << >> >> >>") }),
  ],
  ["bytes at the end", (file) => Buffer.concat([file, Buffer.from("% more\n%%EOF\n")])],
  [
    "an update without cross-references",
    (file) => Buffer.concat([file, Buffer.from(`5 0 obj\n${streamText("BT ET")}\nendobj\n%%EOF\n`)]),
  ],
  [
    "the old cross-references again",
    (file) => {
      const text = Buffer.from(file).toString("latin1");
      const [end = ""] = /startxref\s+\d+\s+%%EOF\s*$/.exec(text) ?? [];
      return Buffer.concat([file, Buffer.from(`5 0 obj\n${streamText("BT ET")}\nendobj\n${end}`)]);
    },
  ],
];

/** The file with an update whose cross-references are a stream. `rows`: type, offset, and generation or index, by number. */
function updateWithStream(
  file: Uint8Array,
  objects: Readonly<Record<number, string>>,
  { entries = "", rows = {}, extra = "" }: StreamUpdate = {},
): Uint8Array {
  const text = Buffer.from(file).toString("latin1");
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1] ?? "";
  const all: Record<number, readonly [number, number, number]> = { ...rows };
  let added = "";
  for (const [number, body] of Object.entries(objects)) {
    all[Number(number)] ??= [1, file.length + added.length, 0];
    added += `${number} 0 obj\n${body}\nendobj\n`;
  }
  const start = file.length + added.length;
  all[99] = [1, start, 0];
  const bytes = Object.values(all).map(([type, place, last]) =>
    String.fromCharCode(type, place >> 16, (place >> 8) & 255, place & 255, last),
  );
  const index = Object.keys(all).map((number) => `${number} 1`);
  const dictionary = `/Type /XRef /Size 100 /W [1 3 1] /Index [${index.join(" ")}] /Prev ${previous} /Root 1 0 R /Info 13 0 R ${idIn(file)} ${entries}`;
  const section = `99 0 obj\n${streamText(bytes.join("") + extra, dictionary)}\nendobj\n`;
  return latin1(`${text}${added}${section}startxref\n${start}\n%%EOF\n`);
}

interface StreamUpdate {
  readonly entries?: string;
  readonly rows?: Readonly<Record<number, readonly [number, number, number]>>;
  readonly extra?: string;
}

/** An object stream with objects by their numbers. */
function packed(objects: Readonly<Record<number, string>>, entries = "", between = " "): string {
  let heading = "";
  let data = "";
  for (const [number, body] of Object.entries(objects)) {
    heading += `${number} ${data.length} `;
    data += body + between;
  }
  const count = Object.keys(objects).length;
  return streamText(heading + data, `/Type /ObjStm /N ${count} /First ${heading.length} ${entries}`);
}

const XMP = "/Type /Metadata /Subtype /XML";
const PACKET = `<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>`;

/** A field whose appearance dictionary, object 15, is also used elsewhere: `other` is object 14. */
const shared = (other: string, resources = ""): Uint8Array => {
  const file = update(form("", other), {
    [FIELD]: objectIn(form(), FIELD).replace("/AP << /N 10 0 R >>", "/AP 15 0 R"),
    15: "<< /N 10 0 R >>",
  });
  return resources === ""
    ? file
    : update(file, { [PAGE]: objectIn(file, PAGE).replace("/Font <<", `${resources} /Font <<`) });
};
const fillShared = (file: Uint8Array): Uint8Array =>
  update(file, { [FIELD]: objectIn(file, FIELD).replace("(Ada)", "(Eve)"), [APPEARANCE]: box("(Eve)") });

/** Attacks by what only some readers see. */
const DIFFERENCES: typeof ATTACKS = [
  ...(
    [
      ["first", "/Contents 12 0 R /Contents 5 0 R"],
      ["last", "/Contents 5 0 R /Contents 12 0 R"],
      ["in disguise", "/Conten#74s 12 0 R /Contents 5 0 R"],
      ["behind a comment", "/Contents 12 0 R %\n/Contents 5 0 R"],
      ["as null", "/Contents null /Contents 5 0 R"],
      ["deeper", "/Contents 5 0 R /PieceInfo << /A << /B 1 /B 2 >> >>"],
    ] as const
  ).map(([where, entry]): (typeof ATTACKS)[number] => [
    `a key twice, the other ${where}`,
    (file) => update(file, { [PAGE]: objectIn(file, PAGE).replace("/Contents 5 0 R", entry) }),
  ]),
  [
    "a catalog with its pages twice",
    (file) => update(file, { [CATALOG]: objectIn(file, CATALOG).replace("/Pages", "/Pages 60 0 R /Pages") }),
  ],
  [
    "a trailer with a catalog behind a string",
    (file) => update(file, { [FREE]: objectIn(file, CATALOG) }, `/Root 60 0 R /X (startxref) /Root 1 0 R /Info 13 0 R`),
  ],
  [
    "cross-references for old readers behind a string",
    (file) => update(file, { [FREE]: "(new)" }, `/Root 1 0 R /Info 13 0 R ${idIn(file)} /X (startxref) /XRefStm 0`),
  ],
  ["cross-references without rows", (file) => update(file, {})],
  [
    "a second trailer",
    (file) => withLast(update(file, { [FREE]: "(new)" }), "startxref", "trailer\n<< /Root 1 0 R >>\nstartxref"),
  ],
  [
    "an object in the tail of another's stream",
    (file) => update(file, { [FREE]: `${streamText("x")}\nendobj\n5 0 obj\n${EVIL}` }),
  ],
  [
    "a stream that is shorter than its data",
    (file) =>
      update(file, { [FREE]: streamText(`x\nendstream\nendobj\n5 0 obj\n(y)`).replace(/Length \d+/, "Length 1") }),
  ],
  [
    "a stream that is longer than its data",
    (file) => update(file, { [FREE]: streamText("x").replace("Length 1", "Length 3") }),
  ],
  [
    "a stream whose length is nowhere",
    (file) => update(file, { [FREE]: streamText("x").replace("Length 1", "Length 98 0 R") }),
  ],
  ["a stream whose data are elsewhere", (file) => update(file, { [FREE]: streamText("x", "/F (other.pdf)") })],
  ["an object that is only a reference", (file) => update(file, { [FREE]: "5 0 R" })],
  ["a word that is no value", (file) => update(file, { [FREE]: "[endobj]" })],
  ["a number with two readings", (file) => update(file, { [FREE]: "[--5]" })],
  ["a string without an end", (file) => update(file, { [FREE]: "(new" })],
  ["a reference to another generation", (file) => update(file, { [FREE]: "[61 1 R]", 61: "(new)" })],
  [
    "a reference to an older generation",
    (file) => update(file, { [PAGE]: objectIn(file, PAGE).replace("5 0 R", "5 1 R") }),
  ],
  ["a comment before a value", (file) => update(file, { [FREE]: "% comment\n(new)" })],
  ["an object in a string", (file) => update(file, { [FREE]: "(\nendobj\n5 0 obj\n)" })],
  [
    "an object in metadata",
    (file) => update(file, { [HIDDEN]: streamText(`${PACKET}<!--\n5 0 obj\n${EVIL}\nendobj\n-->`, XMP) }),
    form("/Metadata 12 0 R"),
  ],
  ["a trailer in a string", (file) => update(file, { [FREE]: "(trailer << /Root 60 0 R >>)" })],
  ["another catalog that nothing uses", (file) => update(file, { [FREE]: objectIn(file, CATALOG) })],
  [
    "an entry of a page whose name is no text",
    (file) => update(file, { [PAGE]: objectIn(file, PAGE).replace("/Contents", "/Contents\x80 12 0 R /Contents") }),
  ],
  [
    "a value that is also a color space of the page",
    (file) => update(file, { 14: objectIn(file, 14).replace("/DeviceRGB", "/DeviceCMYK") }),
    update(form("", `<< /FT /Tx /T (third) /V /DeviceRGB ${WIDGET} >>`), {
      [PAGE]: objectIn(form(), PAGE).replace("/Font <<", "/ColorSpace 14 0 R /Font <<"),
    }),
  ],
  ["object 0", (file) => update(file, { 0: "(new)" })],
  ["a trailer with a smaller size", (file) => withLast(update(file, { [FREE]: "(new)" }), "/Size 61", "/Size 60")],
  [
    "a page tree that was signed with its pages twice",
    (file) => update(file, { [PAGES]: objectIn(file, PAGES).replace("/Kids [70 0 R]", "") }),
    update(form(), { [PAGES]: "<< /Type /Pages /Kids [70 0 R] /Kids [3 0 R] /Count 1 >>" }),
  ],
  [
    "an encoding that only some readers miss",
    (file) => update(file, { [FREE]: "<< /Differences [48 /nine] >>" }),
    update(form(), { [FONT]: objectIn(form(), FONT).replace(/>>$/, "/Encoding 60 0 R /Encoding /WinAnsiEncoding >>") }),
  ],
  [
    "a row of a stream for an object that is elsewhere",
    (file) => updateWithStream(file, {}, { rows: { [CONTENT]: [1, offsetsOf(file, CONTENT)[0] ?? 0, 0] } }),
  ],
  ["a row of a stream of another type", (file) => updateWithStream(file, {}, { rows: { 60: [3, 0, 0] } })],
  ["a stream with more than its rows", (file) => updateWithStream(file, {}, { extra: "\x01\0\0\0\0" })],
  [
    "two catalogs in a stream",
    (file) => updateWithStream(file, { 60: objectIn(file, CATALOG) }, { entries: "/X (stream) /Root 60 0 R" }),
  ],
  [
    "a key twice in an object stream",
    (file) => updateWithStream(file, { 61: packed({ 60: "<< /A 1 /#41 2 >>" }) }, { rows: { 60: [2, 61, 0] } }),
  ],
  [
    "an object stream with an object that is not listed",
    (file) => updateWithStream(file, { 61: packed({ 5: "(new)", 60: "(new)" }) }, { rows: { 60: [2, 61, 1] } }),
  ],
  [
    "an object stream that extends another",
    (file) => updateWithStream(file, { 61: packed({ 60: "(new)" }, "/Extends 61 0 R") }, { rows: { 60: [2, 61, 0] } }),
  ],
  [
    "an object stream with words between its objects",
    (file) => updateWithStream(file, { 61: packed({ 60: "(new)" }, "", " true ") }, { rows: { 60: [2, 61, 0] } }),
  ],
  [
    "an object in a stream that is no object stream",
    (file) =>
      updateWithStream(
        file,
        { 61: packed({ 60: "(new)" }).replace("/ObjStm", "/Other") },
        { rows: { 60: [2, 61, 0] } },
      ),
  ],
  ["an appearance dictionary that is also a resource of the page", fillShared, shared("", "/Properties 15 0 R")],
  [
    "an appearance dictionary that is also that of a stamp",
    fillShared,
    update(shared(""), {
      [PAGE]: objectIn(form(), PAGE).replace("8 0 R", "8 0 R 60 0 R"),
      [FREE]: "<< /Type /Annot /Subtype /Stamp /Rect [20 150 220 170] /AP 15 0 R >>",
    }),
  ],
  [
    "an appearance dictionary that is also that of another field",
    fillShared,
    shared(`<< /FT /Tx /Ff 1 /T (third) /V (Ada) ${WIDGET} /AP 15 0 R >>`),
  ],
  [
    "an appearance dictionary that is also that of a kid",
    fillShared,
    shared(`<< /FT /Tx /T (third) /V (Ada) /Kids [<< ${WIDGET} /AP 15 0 R >>] >>`),
  ],
];

describe("forbidden changes", () => {
  const signed = new Map<Uint8Array | undefined, Uint8Array>();
  beforeAll(async () => {
    for (const base of new Set([...ATTACKS, ...DIFFERENCES].map(([, , one]) => one)))
      signed.set(base, await seal(base ?? form()));
  });

  test.each([...ATTACKS, ...DIFFERENCES])("a change is reported as forbidden: %s", async (_, attack, base) => {
    const file = signed.get(base) ?? new Uint8Array();
    expect(await verify(file)).toMatchObject({ documentIntact: true });
    const report = await verify(attack(file));
    expect(report.documentIntact).toBe(false);
    expect(report.signatures.length).toBeLessThanOrEqual(1);
    for (const { changesAfter, changes } of report.signatures) {
      expect(changesAfter).toBe("forbidden");
      expect(changes.some(({ allowed }) => !allowed)).toBe(true);
    }
  });

  test("a new field with the signature of another field is forbidden", async () => {
    const signed = await seal(form());
    const field = Number(/(\d+) 0 R\]/.exec(objectIn(signed, FORM))?.[1]);
    const value = /\/V (\d+ 0 R)/.exec(objectIn(signed, field))?.[1] ?? "";
    const { documentIntact, signatures } = await verify(
      withField(signed, `<< /FT /Sig /T (new) /V ${value} ${WIDGET} >>`),
    );
    expect(documentIntact).toBe(false);
    for (const { changes } of signatures)
      expect(changes).toContainEqual(
        expect.objectContaining({ allowed: false, text: "The signature in the field new is that of another field." }),
      );
  });

  /** References to object 60, which does not exist, as only some readers follow them. */
  test.each([
    ["[5 0 R 60 0R]"],
    ["[60 0R 60]"],
    ["[60 1R]"],
    ["[60 0R/X 1]"],
    ["[60 0-R]"],
    ["[60 0.R]"],
    ["[6-0 0 R]"],
    ["[0.6e2 0 R]"],
    ["[59.9 0 R]"],
    ["[60 0 \x80R]"],
    ["[60 0R\xA0]"],
    ["[60 0 R\xFF]"],
    ["[60 0\0R]"],
    ["[/X\x8060\x800\x80R]"],
    ["<< /A [60 0R] /A [] >>"],
    ["<< /A << /X 60 0R >> >>"],
    ["[5 0 R endobj 60 0 R]"],
  ])("a number in a malformed reference of the signed revision cannot be defined later, %j", async (text) => {
    const base = await seal(update(form("/Extra 61 0 R"), { 61: text }));
    const catalog = objectIn(base, CATALOG).replace(/>>$/, "/Metadata 60 0 R >>");
    const other = update(base, { 90: streamText("0 0 9 9 re f") });
    const updates = [
      update(base, { [FREE]: streamText("0 0 9 9 re f") }),
      update(base, { [CATALOG]: catalog, [FREE]: streamText(PACKET, XMP) }),
    ];
    // Where the end of the object is not certain, it may lead to any number.
    expect((await verify(other)).documentIntact).toBe(!text.includes("endobj"));
    for (const file of updates)
      expect(await verify(file)).toMatchObject({ documentIntact: false, signatures: [{ changesAfter: "forbidden" }] });
  });

  test.each([
    ["a number that is there twice", "62 0 62 8 ", "[5 0 R] [60 0 R] "],
    ["objects in another order", "62 8 63 0 ", "[5 0 R] [60 0 R] "],
    ["the number of another object", "63 0 ", "[60 0 R] "],
    ["an object that goes on behind the next one's beginning", "62 0 63 7 ", "[5 0 R 60 0 R] "],
    ["an array without an end", "62 0 ", "[5 0 R 60 0 R "],
    ["a reference that is cut in two", "62 0 63 1 ", "60 0 R "],
    ["a reference of two objects", "62 0 63 3 ", "60 0 R "],
  ])("a number in a signed object stream with %s cannot be defined later", async (_, heading, data) => {
    const stream = streamText(
      heading + data,
      `/Type /ObjStm /N ${heading.split(" ").length >> 1} /First ${heading.length}`,
    );
    const base = await seal(updateWithStream(form("/Extra 62 0 R"), { 61: stream }, { rows: { 62: [2, 61, 0] } }));
    expect(await verify(base)).toMatchObject({ documentIntact: true });
    expect(await verify(update(base, { [FREE]: streamText("0 0 9 9 re f") }))).toMatchObject({
      documentIntact: false,
      signatures: [{ changesAfter: "forbidden" }],
    });
  });

  test("a signature that is a direct object is forbidden", async () => {
    const signed = await seal(form());
    const { signatures } = await verify(
      withField(signed, "<< /FT /Sig /T (new) /V << /Type /Sig /Filter /Adobe.PPKLite >> >>"),
    );
    const [first] = signatures.filter(({ field }) => field !== "new");
    expect(first?.changes).toContainEqual(
      expect.objectContaining({ text: "The signature in the field new is no object of its own.", allowed: false }),
    );
  });

  test("a signature that becomes unreadable is forbidden", async () => {
    const twice = await seal(await seal(form()));
    const report = await verify(withLast(twice, "/SubFilter/ETSI.CAdES", "/SubFilter/ETSI/CAdES"));
    expect(report.signatures.map(({ field }) => field)).toEqual(["Signature1"]);
    expect(report).toMatchObject({ documentIntact: false, signatures: [{ changesAfter: "forbidden" }] });
  });

  test("a signature in place of another is forbidden", async () => {
    const one = await seal(form());
    const field = Number(/(\d+) 0 R\]/.exec(objectIn(one, FORM))?.[1]);
    const value = Number(/\/V (\d+) 0 R/.exec(objectIn(one, field))?.[1]);
    const report = await verify(
      update(one, { [value]: objectIn(one, value).replace("/Filter", "/Name (Eve) /Filter") }),
    );
    expect(report.documentIntact).toBe(false);
  });

  test("filling in is forbidden by the certification or the lock of a signature", async () => {
    const lock =
      "<< /FT /Sig /T (Sig) /Type /Annot /Subtype /Widget /Rect [0 0 0 0] /P 3 0 R /F 132 /Lock << /Type /SigFieldLock /Action /Include /Fields [(name)] >> >>";
    const locked = await seal(form("", lock), { fieldName: "Sig" });
    const certified = await seal(form(), { certify: "no-changes" });
    const fill = (file: Uint8Array, number: number): Uint8Array =>
      update(file, { [number]: objectIn(file, number).replace(/\/T \((\w+)\)(?: \/V \(Ada\))?/, "/T ($1) /V (Eve)") });
    const verdicts = [fill(locked, FIELD), fill(locked, 11), fill(certified, FIELD)].map(async (file) => {
      const { signatures } = await verify(file);
      return signatures[0]?.changesAfter;
    });
    expect(await Promise.all(verdicts)).toEqual(["forbidden", "allowed", "forbidden"]);
  });
});

describe("broken signatures", () => {
  const signer = issue({ subject: "Ada", issuer: root, kind: "RSA-2048" });

  test.each<[string, Omit<Parameters<typeof handSigned>[0], "signer">, string]>([
    [
      "a gap with more in it",
      { range: (a, b, n) => `/ByteRange [0 ${a - 9} ${b} ${n - b}]` },
      "more than its own value",
    ],
    [
      "a gap that ends later",
      { range: (a, b, n) => `/ByteRange [0 ${a} ${b + 3} ${n - b - 3}]` },
      "more than its own value",
    ],
    [
      "a range that starts later",
      { range: (a, b, n) => `/ByteRange [9 ${a - 9} ${b} ${n - b}]` },
      "not one of this file",
    ],
    [
      "parts that overlap",
      { range: (a, _, n) => `/ByteRange [0 ${a} ${a - 50} ${n - a + 50}]` },
      "not one of this file",
    ],
    ["three numbers", { range: (a, b) => `/ByteRange [0 ${a} ${b}]` }, "not one of this file"],
    [
      "a range beyond the file",
      { range: (a, b, n) => `/ByteRange [0 ${a} ${b} ${n - b + 9}]` },
      "not one of this file",
    ],
    ["two values", { before: "/Contents <00>" }, "what is not its own value"],
    ["two values, one in disguise", { before: "/Cont#65nts <00>" }, "what is not its own value"],
    ["two ranges, one in disguise", { after: "/#42yteRange [0 1 2 3]" }, "`ByteRange` twice"],
    ["two ranges", { before: "/ByteRange [0 1 2 3]" }, "`ByteRange` twice"],
    ["content of its own", { options: ["-nodetach"] }, "content of its own"],
    ["no certificate", { options: ["-nocerts"] }, "does not have the certificate"],
    ["an unnamed certificate in CAdES", { subFilter: "ETSI.CAdES.detached" }, "does not name the certificate"],
  ])("a signature is broken: %s", async (_, options, reason) => {
    const report = await verify(await handSigned({ signer: await signer, ...options }), { trust });
    expect(only(report)).toMatchObject({ integrity: "broken", chain: "unknown" });
    expect(only(report).reason).toContain(reason);
    expect(report.documentIntact).toBe(false);
  });

  test.each<[string, Omit<Parameters<typeof handSigned>[0], "signer">, string]>([
    ["SHA-1", { options: ["-md", "sha1"] }, "SHA-1, which can be forged"],
    ["no signed attributes", { options: ["-noattr"] }, "no signed attributes"],
    ["another format", { subFilter: "adbe.pkcs7.sha1" }, "format that is not supported"],
  ])("%s is unsupported, which is not broken", async (_, options, reason) => {
    const report = await verify(await handSigned({ signer: await signer, ...options }), { trust });
    expect(only(report)).toMatchObject({ integrity: "unsupported", chain: "unknown", level: null });
    expect(only(report).reason).toContain(reason);
    expect(report.documentIntact).toBe(false);
  });

  test("an unknown algorithm is unsupported, unless the document was changed", async () => {
    const text = Buffer.from(await handSigned({ signer: await signer })).toString("latin1");
    // rsaEncryption, as the algorithm of the signature, becomes one that does not exist.
    const rsa = "2a864886f70d010101";
    const at = text.lastIndexOf(rsa);
    expect(at).toBeGreaterThan(0);
    const other = `${text.slice(0, at)}${rsa.slice(0, -2)}7f${text.slice(at + rsa.length)}`;
    const report = await verify(latin1(other), { trust });
    expect(only(report)).toMatchObject({ integrity: "unsupported", chain: "unknown" });
    expect(only(report).reason).toContain("is not supported (1.2.840.113549.1.1.127)");
    const digit = other.indexOf("/MediaBox") + "/MediaBox [0 0 ".length;
    const changed = `${other.slice(0, digit)}${other[digit] === "1" ? "2" : "1"}${other.slice(digit + 1)}`;
    expect(only(await verify(latin1(changed), { trust })).integrity).toBe("broken");
  });

  test("a revision that is not covered to its end breaks its signature", async () => {
    const range = (a: number, b: number, n: number): string => `/ByteRange [0 ${a} ${b} ${n - b - 60}]`;
    const report = await verify(await handSigned({ signer: await signer, range }), { trust });
    expect(only(report)).toMatchObject({
      integrity: "intact",
      coverage: "earlier-revision",
      changesAfter: "forbidden",
    });
    expect(report.documentIntact).toBe(false);
  });

  test("a changed byte of the document breaks its signature", async () => {
    const bytes = (await handSigned({ signer: await signer })).slice();
    const at = Buffer.from(bytes).indexOf("/MediaBox") + "/MediaBox [0 0 4".length;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const report = await verify(bytes, { trust });
    expect(only(report)).toMatchObject({ integrity: "broken" });
    expect(only(report).reason).toContain("the digest of the signed bytes differs");
  });

  test("a changed digit of its value breaks a signature", async () => {
    const text = Buffer.from(await handSigned({ signer: await signer })).toString("latin1");
    const at = text.search(/0{100}/) - 3;
    const digit = text[at] === "1" ? "2" : "1";
    const report = await verify(latin1(text.slice(0, at) + digit + text.slice(at + 1)), { trust });
    expect(only(report).integrity).toBe("broken");
  });
});
