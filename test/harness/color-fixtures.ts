import { flate, pdf, type PdfObject } from "./pdf-writer.ts";

const lab = "[/Lab << /WhitePoint [0.96 1 0.82] /Range [-100 100 -100 100] >>]";
const tint = "<< /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0.9 0.8 0.1] /N 1 >>";
const redToBlue = "<< /FunctionType 2 /Domain [0 1] /C0 [1 0.2 0] /C1 [0 0.3 1] /N 1 >>";
const sizes = "/BitsPerCoordinate 8 /BitsPerComponent 8 /BitsPerFlag 8 /Decode [0 100 0 100 0 1 0 1 0 1]";

/** A triangle and a patch, their corners in colors of their own. */
const triangle = Uint8Array.from(
  [
    [0, 0, 0, 255, 0, 0],
    [0, 255, 0, 0, 255, 0],
    [0, 128, 255, 0, 0, 255],
  ].flat(),
);
const patch = Uint8Array.from(
  [
    [0, 0, 0, 0, 80, 0, 160, 0, 240, 80, 240, 160, 240, 240, 240, 240, 160, 240, 80, 240, 0, 160, 0, 80, 0],
    [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0],
  ].flat(),
);

/** What paints a square of 100 points at the origin, each with the resources that it names. */
const paints: Readonly<Record<string, string>> = {
  rgb: "0.9 0.2 0.1 rg 0 0 100 100 re f 0 0.5 0 RG 8 w 20 20 60 60 re S",
  cmyk: "0.9 0.1 0 0 k 0 0 100 100 re f 0 1 1 0.2 K 8 w 20 20 60 60 re S",
  icc: "/Icc cs 0.1 0.3 0.9 sc 0 0 100 100 re f",
  lab: "/Lab cs 60 70 -40 scn 0 0 100 100 re f",
  spot: "/Spot cs 0 0 50 100 re f 0.4 scn 50 0 50 100 re f",
  indexed: "/Few cs 2 sc 0 0 100 100 re f",
  nested: "1 0 0 rg q /DeviceRGB cs 0 0 1 sc 0 0 50 100 re f Q 50 0 50 100 re f",
  axial: "0 0 100 100 re W n /Axial sh",
  radial: "0 0 100 100 re W n /Radial sh",
  plane: "0 0 100 100 re W n /Plane sh",
  triangles: "0 0 100 100 re W n /Triangles sh",
  patches: "0 0 100 100 re W n /Patches sh",
  shaded: "/Pattern cs /Shaded scn 0 0 100 100 re f",
  tiled: "/Pattern cs /Tiles scn 0 0 100 100 re f",
  stencilled: "/OverRgb cs 1 0.5 0 /Stencil scn 0 0 100 100 re f",
  form: "/Form Do",
  glyphs: "BT /Drawn 100 Tf (A) Tj ET",
  inline: "100 0 0 100 0 0 cm BI /W 2 /H 2 /CS /RGB /BPC 8 /F /AHx ID FF0000 00FF00 0000FF FFFF00> EI",
};

/** A page with a square of each way to paint, annotations with and without appearance, and a default appearance. */
export function colorDocument(): Uint8Array {
  const squares = Object.values(paints).map((paint, index) => {
    const [column, row] = [index % 5, Math.floor(index / 5)];
    return `q 1 0 0 1 ${20 + column * 115} ${660 - row * 115} cm ${paint} Q`;
  });
  const objects: PdfObject[] = [
    "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [15 0 R] /DA (/Helv 0 Tf 0 0 1 rg) >> >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Annots [14 0 R 15 0 R]
      /Resources << /ColorSpace << /Icc [/ICCBased 5 0 R] /Lab ${lab} /Spot [/Separation /Spot /DeviceCMYK ${tint}]
        /Few [/Indexed /DeviceRGB 3 <000000FF000000FF000000FF>] /OverRgb [/Pattern /DeviceRGB] >>
      /Shading << /Axial << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 100 0] /Function ${redToBlue} /Extend [true true] >>
        /Radial << /ShadingType 3 /ColorSpace /DeviceRGB /Coords [50 50 0 50 50 50] /Function ${redToBlue} /Background [1 1 0] >>
        /Plane << /ShadingType 1 /ColorSpace /DeviceRGB /Matrix [100 0 0 100 0 0] /Function 6 0 R >>
        /Triangles 7 0 R /Patches 8 0 R >>
      /Pattern << /Shaded << /PatternType 2 /Matrix [1 0 0 1 350 300] /Shading << /ShadingType 2 /ColorSpace ${lab}
        /Coords [0 0 100 100] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /C0 [30 60 60] /C1 [90 -60 20] /N 1 >> >> >>
        /Tiles 9 0 R /Stencil 10 0 R >>
      /XObject << /Form 11 0 R >> /Font << /Drawn 12 0 R >> >> >>`,
    flate(squares.join("\n")),
    flate("", "/N 3 /Alternate /DeviceRGB"),
    { entries: "/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1]", data: bytes("{ 0.3 }") },
    flate(triangle, `/ShadingType 4 /ColorSpace /DeviceRGB ${sizes}`),
    flate(patch, `/ShadingType 6 /ColorSpace /DeviceRGB ${sizes}`),
    flate("1 0 0 rg 0 0 5 5 re f 0 0 1 rg 5 5 5 5 re f", tiles(1)),
    flate("0 0 5 5 re f", tiles(2)),
    flate(
      "0.8 0.1 0.6 rg 0 0 100 100 re f",
      "/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Group << /S /Transparency /CS /DeviceCMYK >>",
    ),
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 65 /LastChar 65 /Widths [1]
      /Encoding << /Differences [65 /a] >> /CharProcs << /a 13 0 R >> /Resources << >> >>`,
    flate("1 0 d0 0.2 0.8 0.9 rg 0 0 1 1 re f"),
    "<< /Type /Annot /Subtype /Square /Rect [20 20 120 120] /C [1 0 0] /IC [0 1 0] /BS << /W 5 >> >>",
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (field) /V (value) /Rect [200 20 400 80] /DA (/Helv 20 Tf 0.1 0.6 0.2 rg)
      /MK << /BG [1 0.9 0.5] /BC [0 0 1] >> /AP << /N 16 0 R >> >>`,
    flate("1 0.9 0.5 rg 0 0 200 60 re f", "/Type /XObject /Subtype /Form /BBox [0 0 200 60]"),
  ];
  return pdf(objects, "/Root 1 0 R");
}

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

const tiles = (paintType: 1 | 2): string =>
  `/Type /Pattern /PatternType 1 /PaintType ${paintType} /TilingType 1 /BBox [0 0 10 10] /XStep 10 /YStep 10 /Resources << >>`;
