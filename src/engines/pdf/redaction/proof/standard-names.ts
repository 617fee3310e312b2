/** Names that ISO 32000-2 and its extensions define: keys and values that readers need. They reveal nothing about a document. */
export const STANDARD_NAMES: ReadonlySet<string> = new Set(
  `
1.2 1.5 3D A A85 AA AC AESV2 AESV3 AF AFRelationship AHx AP AS ASCII85Decode ASCIIHexDecode AbsoluteColorimetric AcroForm Action
ActualText Adobe.PPKLite All AllOff AllOn Alpha Alt Alternate Alternative Annot Annots AnyOff App Approved Art ArtBox Artifact AsIs
Ascent Aside AuthEvent Author B BBox BC BE BG BM BPC BS Background BaseEncoding BaseFont BaseState BibEntry BitsPerComponent
BitsPerCoordinate BitsPerFlag BitsPerSample BlackIs1 BlackPoint BleedBox Blinds BlockQuote Border Bounds Box Br BrotliDecode Bt Btn
Butt ByteRange C C0 C1 CA CCF CCITTFaxDecode CF CFM CI CIDFontType0 CIDFontType0C CIDFontType2 CIDSystemInfo CIDToGIDMap CL CMYK CO
CP CS CalCMYK CalGray CalRGB Cap CapHeight Caption Caret Catalog Cert Ch Changes CharProcs CheckSum Circle ClosedArrow Code ColSpan
Collection ColorSpace ColorTransform Colorants Colors Columns Confidential Configs ContactInfo Contents Coords Count Cover
CreationDate Creator CropBox Crypt D DA DC DCT DCTDecode DL DOS DP DR DS DV DW DW2 DamagedRowsBeforeError Data Date Decode
DecodeParms Default DefaultCMYK DefaultGray DefaultRGB Departmental Desc DescendantFonts Descent Design Dest DestOutputProfile
Dests DeviceCMYK DeviceGray DeviceN DeviceRGB Di Diamond Differences DigestLocation DigestMethod DigestValue Dissolve Div Dm DocMDP
Document DocumentFragment Domain Draft Dur E EF EarlyChange Em EmbeddedFile EmbeddedFiles Encode EncodedByteAlign Encoding Encrypt
EncryptMetadata EncryptedPayload EndOfBlock EndOfLine Exclude Experimental Expired ExtGState Extend F FENote FL FRM FS FT Fade Ff
FieldMDP Fields Figure FileAttachment FileSize FileSpec Filespec Filter Final Fingerprint First FirstChar FirstPage Fit FitB FitBH
FitBV FitH FitR FitV Fl Flags FlateDecode Fly Font FontBBox FontDescriptor FontFile FontFile2 FontFile3 FontMatrix FontName
ForComment ForPublicRelease Form FormData FormEx FormType Formula FreeText FreeTextCallout FreeTextTypeWriter Function FunctionType
Functions G GTS_PDFX Gamma Glitter GoTo GoToR Group H H1 H2 H3 H4 H5 H6 Height Helv Highlight HistoryPos I IC ICCBased ID IM IRT IT
Identity Identity-H Identity-V Image ImageB ImageC ImageI ImageMask Include Index Indexed Info Ink InkList Intent Interpolate IsMap
ItalicAngle JBIG2Decode JBIG2Globals JPXDecode JS JavaScript K Keywords Kids L LBody LC LE LI LJ LL LLE LLO LW LZ LZW LZWDecode Lab
Label Lang Last LastChar LastPage Launch Layer Lbl Length Length1 Length2 Length3 Limits Line LineArrow LineDimension Linearized
Link List Location Lock Locked Luminosity M MCID MCR MK ML MMType1 Mac Mask Matrix Matte MaxLen MediaBox Metadata MissingWidth
ModDate Movie Msg Multiply N NM Name Named Names NeedAppearances NewWindow Next NextPage NonEFontNoWarn NonStruct None Normal
NotApproved NotForPublicRelease Note NumSections Nums O OBJR OC OCG OCGs OCMD OCProperties OE OFF ON OP OPM OS ObjStm Of Off Open
OpenArrow OpenType Opt Order Ordering Outlines OutputCondition OutputConditionIdentifier OutputIntent OutputIntents P PDF PS Page
PageLabels PageMode Pages PaintType Params Parent ParentTree Part Pattern PatternType Perceptual Perms PieceInfo PolyLine
PolyLineDimension Polygon PolygonCloud PolygonDimension Popup PreRelease Predictor Prev PrevPage Preview Print PrinterMark Private
ProcSet Producer Prop_AuthTime Prop_AuthType Prop_Build Properties PubSec Push Q QuadPoints Quote R RB RBGroups RC RClosedArrow RD
REx RGB RI RL RO ROpenArrow RP RT RV Range Reason Rect Redact Ref Reference Registry RelativeColorimetric ResetForm Resources
RichMedia RoleMap Root Rotate RowSpan Rows Ruby RunLengthDecode S SMask SMaskInData Saturation Schema Screen Sect Separation
Shading ShadingType Si Sig SigFlags SigQ SigRef Size Slash Sold Sound Source Span Split Square Squiggly St Stamp StampImage
StampSnapshot Standard StdCF StemV StmF StrF StrikeOut Strong StructElem StructParent StructParents StructTreeRoot Sub SubFilter
Subj Subject Subtype Subtype2 Supplement Symb T TBody TD TFoot TH THead TI TOC TOCI TR TR2 TU Table Text Thumb TilingType Times
Title ToUnicode Top TopSecret Trans TransformMethod TransformParams Transparency TrapNet TrimBox TrueType TrustedMode Tx Type Type0
Type1 Type1C Type3 U UE UF URI URL Unchanged Uncover Underline Unix Unspecified Usage UseBlackPtComp UseCMap UseOutlines UserUnit V
V2 VE Version Vertices VerticesPerRow View W W2 WMode WP WT Warichu Watermark WhitePoint Widget Width Widths WinAnsiEncoding Wipe
XFA XHeight XML XObject XRef XRefStm XStep XYZ YStep Yes ZaDb a adbe.pkcs7.detached ca n0 n1 n2 op r
`
    .trim()
    .split(/\s+/),
);

/** Character collections, and who registered them (9.7.3). */
export const COLLECTIONS: ReadonlySet<string> = new Set(
  "Adobe CNS1 GB1 Identity Japan1 Japan2 Korea1 KR Manga1 UCS".split(" "),
);
