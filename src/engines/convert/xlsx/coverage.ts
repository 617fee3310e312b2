/** The elements that sheets and the drawings on them can have (ECMA-376-1, 18.3 and 20.5; the extensions of Excel 2010 to 2016). */
import { coverage } from "../source/coverage.ts";
import { textIn, type XmlElement } from "../source/xml.ts";

export const SHEET_COVERAGE = coverage({
  kept: "sheetData row c f v is t r mergeCells mergeCell cols col hyperlinks hyperlink headerFooter oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter tableParts extLst ext AlternateContent Choice Fallback",
  invisible: {
    "how the sheet is seen and edited on a screen": `sheetPr dimension sheetViews sheetFormatPr sheetCalcPr sheetProtection protectedRanges scenarios
      autoFilter sortState dataConsolidate customSheetViews dataValidations dataValidation cellWatches ignoredErrors smartTags customProperties
      webPublishItems`,
    "readings and looks of text": "rPh phoneticPr rPr",
    "the page of the workbook, instead of which the sheet is as wide as its columns":
      "printOptions pageMargins pageSetup rowBreaks colBreaks",
    "parts that are looked at by their relationships": "drawing legacyDrawing",
  },
  dropped: {
    "conditional-formats": "conditionalFormatting conditionalFormattings",
    "table-styles": "tablePart",
    headers: "drawingHF legacyDrawingHF",
    "background-images": "picture",
    "embedded-objects": "oleObjects webExtensions",
    "form-fields": "controls",
    sparklines: "sparklineGroups",
    slicers: "slicerList slicerRefs timelineRefs",
  },
});

export const lostOfSheet = (element: XmlElement): string | undefined =>
  element.name === "headerFooter" && textIn(element).trim() !== "" ? "headers" : undefined;

export const DRAWING_COVERAGE = coverage({
  kept: "twoCellAnchor oneCellAnchor absoluteAnchor grpSp graphicFrame graphic graphicData AlternateContent Choice Fallback",
  invisible: {
    "places and properties": "from to ext pos clientData grpSpPr nvGrpSpPr nvGraphicFramePr xfrm extLst",
  },
  dropped: {
    charts: "chart",
    diagrams: "relIds",
    images: "pic",
    shapes: "sp cxnSp",
    ink: "contentPart",
    slicers: "slicer timeslicer",
  },
});

export const lostOfDrawing = (element: XmlElement): string | undefined =>
  element.name === "sp" && textIn(element).trim() !== "" ? "text-boxes" : undefined;
