/** The elements that the text of a word processing document can have (ECMA-376-1, 17, 20, and 22; ECMA-376-4, 14 and 19; ECMA-376-3). */
import type { Work } from "../../work.ts";
import { coverage, nameLost } from "../source/coverage.ts";
import { attribute, elementAt, elementsIn, type XmlElement } from "../source/xml.ts";

const DOCX_COVERAGE = coverage({
  kept: `p r t tab ptab br cr noBreakHyphen softHyphen sym hyperlink fldSimple fldChar
    sdt sdtContent customXml smartTag ins moveTo dir bdo tbl tr tc ruby rubyBase rt footnoteReference endnoteReference footnote endnote
    AlternateContent Choice Fallback drawing inline anchor graphic graphicData pic blipFill blip wsp txbx txbxContent wgp grpSp wpc graphicFrame
    pict object group shape rect roundrect oval line polyline curve arc image textbox imagedata textpath`,
  invisible: {
    properties: `pPr rPr tblPr tblGrid tblPrEx trPr tcPr sectPr sdtPr sdtEndPr customXmlPr smartTagPr rubyPr fldData`,
    "form fields, whose state is shown where they begin": "ffData",
    "marks without a width": `bookmarkStart bookmarkEnd proofErr permStart permEnd lastRenderedPageBreak
      commentRangeEnd moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd
      customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart customXmlDelRangeEnd
      customXmlMoveFromRangeStart customXmlMoveFromRangeEnd customXmlMoveToRangeStart customXmlMoveToRangeEnd`,
    "the numbers of notes, and the lines above them, which are written anew":
      "footnoteRef endnoteRef annotationRef separator continuationSeparator",
    "codes of fields, whose results are shown": "instrText delInstrText numberingChange",
    "places and looks of drawings": `extent effectExtent simplePos positionH positionV wrapNone wrapSquare wrapTight wrapThrough wrapTopAndBottom
      sizeRelH sizeRelV docPr cNvGraphicFramePr nvPicPr spPr style bodyPr cNvPr cNvSpPr cNvCnPr cNvGrpSpPr cNvContentPartPr grpSpPr
      cNvFrPr xfrm srcRect stretch tile fillRect bg whole linkedTxbx extLst`,
    "effects on pictures":
      "alphaBiLevel alphaCeiling alphaFloor alphaInv alphaMod alphaModFix alphaRepl biLevel blur clrChange clrRepl duotone fillOverlay grayscl hsl lum tint",
    "looks of VML drawings": `shapetype formulas handles path stroke fill shadow lock wrap extrusion callout skew anchorlock
      bordertop borderleft borderbottom borderright signatureline clippath complex`,
  },
  dropped: {
    "tracked-changes": "del moveFrom delText",
    comments: "commentRangeStart commentReference",
    formulas: "oMath oMathPara",
    charts: "chart",
    diagrams: "relIds",
    shapes: "cxnSp lockedCanvas sp",
    "embedded-objects": "OLEObject objectEmbed objectLink",
    "embedded-documents": "altChunk subDoc",
    "form-fields": "control",
    ink: "contentPart ink",
    media: "movie",
    fields: "pgNum dayShort dayLong monthShort monthLong yearShort yearLong",
  },
});

/** Reports the losses in the blocks below an element. Text that a style hides counts, too. */
export const nameLostIn = (work: Work, root: XmlElement | undefined, notConverted: Set<string>): Promise<void> =>
  nameLost(work, root, DOCX_COVERAGE, notConverted, lostOf);

/** Elements that are shapes of VML. */
export const VML_SHAPES: ReadonlySet<string> = new Set(
  "shape rect roundrect oval line polyline curve arc image".split(" "),
);
/** Contents that a shape may have instead of a drawing of its own. */
const CONTENTS: ReadonlySet<string> = new Set(["textbox", "imagedata", "textpath"]);

function lostOf(element: XmlElement): string | undefined {
  switch (element.name) {
    case "ins":
    case "moveTo":
      return "tracked-changes";
    case "tr":
      return isRevised(elementAt(element, "trPr")) ? "tracked-changes" : undefined;
    case "tc":
      return isRevised(elementAt(element, "tcPr")) ? "tracked-changes" : undefined;
    case "p":
      return isRevised(elementAt(element, "pPr", "rPr")) ? "tracked-changes" : undefined;
    case "wsp": {
      const outline = attribute(elementAt(element, "spPr", "prstGeom"), "prst") ?? "rect";
      return elementAt(element, "txbx") !== undefined && /^(?:rect|roundRect)$/.test(outline) ? undefined : "shapes";
    }
    default:
      return VML_SHAPES.has(element.name) && !elementsIn(element).some(({ name }) => CONTENTS.has(name))
        ? "shapes"
        : undefined;
  }
}

const REVISIONS: ReadonlySet<string> = new Set(["ins", "del", "moveFrom", "moveTo", "cellIns", "cellDel", "cellMerge"]);
const isRevised = (properties: XmlElement | undefined): boolean =>
  elementsIn(properties).some(({ name }) => REVISIONS.has(name));
