import { expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import type { Profile } from "../../../src/engines/pdf/conformance/model/profiles.ts";
import { broken, report, sound, stream } from "./report.ts";

const GRAY = "[/CalGray << /WhitePoint [1 1 1] >>]";
const RGB = "[/CalRGB << /WhitePoint [1 1 1] >>]";
const TINT = "<< /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >>";

/** A page with this content, resources, and objects from number 5 on. `/Own` is a gray that needs no output intent. */
const drawn = (content: string, resources = "", objects: readonly string[] = [], page = ""): Uint8Array =>
  sound(`/Contents 4 0 R /Resources << /ColorSpace << /Own ${GRAY} >> ${resources} >> ${page}`, [
    stream("", content),
    ...objects,
  ]);
const colored = (space: string, content = "/S cs", resources = "", objects: readonly string[] = []): Uint8Array =>
  sound(`/Contents 4 0 R /Resources << /ColorSpace << /S ${space} >> ${resources} >>`, [
    stream("", content),
    ...objects,
  ]);
const state = (entries: string): Uint8Array => drawn("/S gs", `/ExtGState << /S << ${entries} >> >>`);
const withGroup = (entries: string): Uint8Array =>
  drawn("/S gs", `/ExtGState << /S << ${entries} >> >>`, [], `/Group << /S /Transparency /CS ${GRAY} >>`);
const object = (entries: string, data = "x"): Uint8Array =>
  drawn("/Own cs /X Do", "/XObject << /X 5 0 R >>", [stream(entries, data)]);
const image = (entries: string): Uint8Array =>
  object(`/Subtype /Image /Width 1 /Height 1 /ColorSpace ${GRAY} ${entries}`);
const form = (entries: string): Uint8Array => object(`/Subtype /Form /BBox [0 0 9 9] ${entries}`, "q Q");
/** Text that is not seen, in a font that need not be embedded then. */
const text = (font: string, mode = 3): Uint8Array =>
  drawn(`/Own cs BT ${mode} Tr /F 9 Tf (A) Tj ET`, `/Font << /F << ${font} >> >>`);
const annotation = (entries: string): Uint8Array => sound(`/Annots [<< /Type /Annot ${entries} >>]`);
const catalog = (entries: string, objects: readonly string[] = []): Uint8Array =>
  sound("", objects, { catalog: entries });
const profile = (space: string): string => `${"\0".repeat(8)}\x02${"\0".repeat(3)}prtr${space}`.padEnd(128, "\0");
const icc = (space: string, n: number): string => stream(`/N ${n}`, profile(space));
/** A tagged document with this structure. */
const tagged = (elements: string, entries = "", objects: readonly string[] = []): Uint8Array =>
  catalog(`/MarkInfo << /Marked true >> /StructTreeRoot << /K ${elements} >> ${entries}`, objects);
/** The same bytes, with a part of them replaced by one of the same length. */
const edited = (file: Uint8Array, from: string, to: string): Uint8Array => bytesOf(latin1(file).replace(from, to));

const WIDTHS = "/FirstChar 65 /LastChar 65 /Widths [500]";
const POINTS = "/Rect [0 0 9 9]";
const APPEARANCE = "/AP << /N 4 0 R >>";
const widget = (entries: string, field = "/FT /Tx"): Uint8Array =>
  sound(
    `/Annots [5 0 R]`,
    [stream("/Subtype /Form /BBox [0 0 9 9]", "q Q"), `<< /Subtype /Widget ${field} /F 4 ${POINTS} ${entries} >>`],
    { catalog: "/AcroForm << /Fields [5 0 R] >>" },
  );
const attached = (specification: string, file: string, data = "x"): Uint8Array =>
  catalog("/AF [4 0 R]", [`<< /Type /Filespec ${specification} /EF << /F 5 0 R >> >>`, stream(file, data)]);
const layers = (configuration: string): Uint8Array =>
  catalog(`/OCProperties << /OCGs [4 0 R] /D << ${configuration} >> >>`, ["<< /Type /OCG /Name (a) >>"]);
const font = (entries: string): string => `/Type /Font /Subtype /Type1 ${entries}`;

/** For each rule a document that breaks it and no other. */
const DOCUMENTS: readonly (readonly [rule: string, file: Uint8Array, profile?: Profile])[] = [
  ["6.1.7.2-1", sound("", [stream("/Filter /LZWDecode", "")])],
  ["6.1.8-1", sound("", ["<< /Type /Font /BaseFont /A#ff >>"])],
  ["6.1.9-1", edited(sound("", ["null"]), "\n4 0 obj\n", "\n4 0 obj ")],
  ["6.1.10-1", drawn("BI /W 1 /H 1 /BPC 8 /CS /Own /F /LZW ID x EI")],
  ["6.1.12-1", catalog("/Perms << /X 1 >>")],
  ["6.1.13-1", sound("/A 2147483648")],
  ["6.1.13-2", sound(`/A 4${"0".repeat(38)}.0`)],
  ["6.1.13-3", sound(`/A (${"x".repeat(32_768)})`)],
  ["6.1.13-4", sound(`/A /${"x".repeat(128)}`)],
  ["6.1.13-5", sound(`/A 0.${"0".repeat(38)}1`)],
  ["6.1.13-8", drawn("q ".repeat(29))],
  ["6.1.13-9", colored(`[/DeviceN [${"/None ".repeat(33)}] ${GRAY} ${TINT}]`)],
  ["6.1.13-11", sound("/CropBox [0 0 1 9]")],
  ["6.2.2-1", drawn("foo")],
  ["6.2.2-2", drawn("/S gs")],
  ["6.2.3-1", catalog("/OutputIntents [<< /S /GTS_PDFA1 /DestOutputProfile 4 0 R >>]", [stream("", "x")])],
  [
    "6.2.3-2",
    catalog("/OutputIntents [<< /S /A /DestOutputProfile 4 0 R >> << /S /B /DestOutputProfile 5 0 R >>]", [
      stream("", "x"),
      stream("", "x"),
    ]),
  ],
  ["6.2.3-3", catalog("/OutputIntents [<< /S /A /DestOutputProfileRef << >> >>]")],
  ["6.2.4.2-1", colored("[/ICCBased 5 0 R]", "/S cs", "", [stream("/N 1", "x")])],
  [
    "6.2.4.2-2",
    colored("[/ICCBased 5 0 R]", "/S cs /E gs 0 0 9 9 re f", "/ExtGState << /E << /op true /OPM 1 >> >>", [
      icc("CMYK", 4),
    ]),
  ],
  ["6.2.4.3-2", drawn("1 0 0 rg")],
  ["6.2.4.3-2", drawn("/DeviceRGB cs")],
  ["6.2.4.3-3", drawn("0 0 0 1 k")],
  ["6.2.4.3-4", drawn("0 g")],
  ["6.2.4.3-4", drawn("0 0 9 9 re f")],
  ["6.2.4.4-1", colored(`[/DeviceN [/Spot] ${GRAY} ${TINT}]`)],
  [
    "6.2.4.4-2",
    sound(
      `/Contents 4 0 R /Resources << /ColorSpace << /S [/Separation /Spot ${GRAY} ${TINT}] /T [/Separation /Spot ${RGB} ${TINT}] >> >>`,
      [stream("", "/S cs /T cs")],
    ),
  ],
  ["6.2.5-1", state("/TR /Identity")],
  ["6.2.5-2", state("/TR2 /Identity")],
  ["6.2.5-3", state("/HTP [0 0]")],
  ["6.2.5-4", state("/HT << /HalftoneType 6 >>")],
  ["6.2.5-5", state("/HT << /HalftoneType 1 /HalftoneName (a) >>")],
  ["6.2.5-6", state("/HT << /HalftoneType 5 /Default << /HalftoneType 1 >> /Red << /HalftoneType 1 >> >>")],
  [
    "6.2.5-6",
    state(
      "/HT << /HalftoneType 5 /Default << /HalftoneType 1 >> /Cyan << /HalftoneType 1 /TransferFunction /Identity >> >>",
    ),
  ],
  ["6.2.6-1", drawn("/Foo ri")],
  ["6.2.8-1", image("/BitsPerComponent 8 /Alternates []")],
  ["6.2.8-2", image("/BitsPerComponent 8 /OPI << >>")],
  ["6.2.8-3", image("/BitsPerComponent 8 /Interpolate true")],
  ["6.2.8-4", image("/BitsPerComponent 3")],
  ["6.2.8-5", object("/Subtype /Image /Width 1 /Height 1 /ImageMask true /BitsPerComponent 8")],
  ["6.2.9-1", form("/OPI << >>")],
  ["6.2.9-2", form("/Ref << >>")],
  ["6.2.9-3", object("/Subtype /PS")],
  ["6.2.10-1", withGroup("/BM /Foo")],
  ["6.2.10-2", state("/ca .5")],
  ["6.2.11.2-1", text("/Subtype /Type1 /BaseFont /Helvetica")],
  ["6.2.11.2-2", text(`/Type /Font /Subtype /Foo /BaseFont /A ${WIDTHS}`)],
  ["6.2.11.2-3", text(font(WIDTHS))],
  ["6.2.11.2-4", text(font("/BaseFont /A /LastChar 0 /Widths [500]"))],
  ["6.2.11.2-5", text(font("/BaseFont /A /FirstChar 0 /Widths [500]"))],
  ["6.2.11.2-6", text(font("/BaseFont /A /FirstChar 65 /LastChar 66 /Widths [500]"))],
  ["6.2.11.4.1-1", text(font("/BaseFont /Helvetica"), 0)],
  ["6.2.11.7.2-1", text(font(`/BaseFont /A ${WIDTHS} /Encoding << /Differences [65 /g7] >>`)), "2u"],
  ["6.3.1-1", annotation("/Subtype /Sound /F 4 /Rect [0 0 0 0]")],
  ["6.3.2-1", annotation("/Subtype /Link /Rect [0 0 9 9]")],
  ["6.3.2-2", annotation(`/Subtype /Link /F 6 ${POINTS}`)],
  ["6.3.3-1", annotation(`/Subtype /Square /F 4 ${POINTS}`)],
  ["6.3.3-2", widget("/AP << /N 4 0 R /D 4 0 R >>")],
  ["6.3.3-3", widget(APPEARANCE, "/FT /Btn")],
  ["6.3.3-4", widget("/AP << /N << /A 4 0 R >> >>")],
  ["6.4.1-1", widget(`${APPEARANCE} /A << /S /GoTo >>`)],
  ["6.4.1-3", catalog("/AcroForm << /NeedAppearances true >>")],
  ["6.4.2-1", catalog("/AcroForm << /XFA [] >>")],
  ["6.4.2-2", catalog("/NeedsRendering true")],
  ["6.5.1-1", catalog("/OpenAction << /S /JavaScript >>")],
  ["6.5.1-2", catalog("/OpenAction << /S /Named /N /Print >>")],
  ["6.5.2-1", catalog("/AA << >>")],
  ["6.5.2-2", sound("/AA << >>")],
  ["6.7.2.2-1", catalog("/MarkInfo << /Marked false >> /StructTreeRoot << >>"), "2a"],
  ["6.7.3.3-1", catalog("/MarkInfo << /Marked true >>"), "2a"],
  ["6.7.3.4-1", tagged("<< /S /Foo >>"), "2a"],
  ["6.7.3.4-1", tagged("<< /S /Foo >>", "", []), "3a"],
  ["6.7.3.4-3", tagged("<< /S /P >> /RoleMap << /P /Foo /Foo /P >>"), "2a"],
  ["6.7.4-1", tagged("[]", "/Lang (de/AT)"), "2a"],
  ["6.8-1", attached("/F (a) /UF (a) /AFRelationship /Data", ""), "3b"],
  ["6.8-2", attached("/F (a) /AFRelationship /Data", "/Subtype /a#2Fb"), "3b"],
  ["6.8-3", attached("/F (a) /UF (a)", "/Subtype /a#2Fb"), "3b"],
  ["6.8-5", attached("/F (a) /UF (a)", "")],
  ["6.9-1", layers("/Order [4 0 R]")],
  ["6.9-3", layers("/Name (a) /Order []")],
  ["6.9-4", layers("/Name (a) /AS []")],
  ["6.10-1", catalog("/Names << /AlternatePresentations << >> >>")],
  ["6.10-2", sound("/PresSteps << >>")],
  ["6.11-1", catalog("/Requirements []")],
];

test.each(DOCUMENTS.map(([rule, file, of = "2b"]) => [rule, of, file] as const))(
  "a document that breaks %s of %s breaks nothing else",
  async (rule, of, file) => {
    expect(broken(await report(file, of)).map((found) => found.replace(/ x\d+$/, ""))).toEqual([rule]);
  },
);

test("a role map may lead to a standard type over others, but not in a circle", async () => {
  const brokenBy = async (roles: string): Promise<string[]> =>
    broken(await report(tagged(`[<< /S /A >> << /S /P >>] /RoleMap << ${roles} >>`), "2a"));
  expect(await brokenBy("/A /B /B /Sect /P /Span /X /X")).toEqual([]);
  expect(await brokenBy("/A /B /B /A")).toEqual(["6.7.3.4-1 x1", "6.7.3.4-2 x1"]);
});
