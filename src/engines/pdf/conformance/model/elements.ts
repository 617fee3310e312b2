/** The elements that rules are about, with their properties. Each is looked at once, wherever the document uses it. */
import type { PlainDictionary } from "../../objects/plain-values.ts";

export type Device = "DeviceGray" | "DeviceRGB" | "DeviceCMYK";

/** What gives device spaces their meaning: an output intent, or the space of a transparency group. */
export interface GivenSpace {
  /** Its color space, such as `RGB `. */
  readonly space: string;
  /** The stream of its profile; undefined if it has none. */
  readonly profile: PlainDictionary | undefined;
}

/** A device space where no default space takes its place. */
export interface ColorUse {
  readonly space: Device;
  /** The color space of the intent that applies, such as `RGB `. */
  readonly intent: string | undefined;
  /** The same of the innermost transparency group with a color space, which part 4 accepts. */
  readonly blending: string | undefined;
}

export interface DeviceNFacts {
  readonly colorants: readonly string[];
  /** Colorants that are not described. */
  readonly missing: readonly string[];
}

export interface SeparationFacts {
  readonly name: string;
  /** Whether all spaces of this name have the same alternate space and transform. */
  readonly isConsistent: boolean;
}

export interface IccFacts {
  /** Whether there is a whole header. */
  readonly isReadable: boolean;
  readonly major: number;
  readonly minor: number;
  /** Signatures of four characters. */
  readonly deviceClass: string;
  readonly space: string;
}

export interface JpxBoxes {
  readonly channels: number;
  /** The number of color specifications, and how many of them have `APPROX` 1. */
  readonly specifications: number;
  readonly approximations: number;
  /** `METH` and `EnumCS` of the specification that counts. */
  readonly method: number | undefined;
  readonly enumerated: number | undefined;
  readonly bitDepth: number;
  /** Whether channels differ in their depth. */
  readonly hasDepths: boolean;
  /** Whether the image dictionary has a color space, which then counts. */
  readonly hasColorSpace: boolean;
}

export interface OutputIntents {
  /** Undefined if there is no intent of PDF/A. */
  readonly given: GivenSpace | undefined;
  /** Whether all profiles of the intents are the same object. */
  readonly shareOneProfile: boolean;
}

/** The glyph that a code shows. */
export interface GlyphFacts {
  readonly isPresent: boolean;
  /** In thousandths of the font size; undefined if unknown. */
  readonly width: number | undefined;
  readonly isNotdef: boolean;
}

/** The subtables of a TrueType program by platform and encoding. */
export interface CmapFacts {
  readonly count: number;
  readonly hasSymbol: boolean;
  readonly hasUnicode: boolean;
  readonly hasMac: boolean;
}

export interface FontProgram {
  readonly cmaps: CmapFacts | undefined;
  /** Names of the glyphs of a Type 1 font, without `.notdef`. */
  readonly glyphNames: ReadonlySet<string> | undefined;
  /** Numbers of the CIDs that a program for CIDs has. */
  readonly cids: readonly number[] | undefined;
  /** Undefined if it cannot be looked up. */
  glyphOf(code: number, font: FontFacts): GlyphFacts | undefined;
  /** Whether the glyph of a code has a name with a known character. */
  isNamed(code: number, font: FontFacts): boolean;
  /** Whether all names are known, and can be found as Unicode characters. */
  knowsNames(names: readonly string[]): boolean;
}

/** The entries of a font that rules are about. */
export interface FontFacts {
  readonly dictionary: PlainDictionary;
  readonly subtype: string | undefined;
  readonly baseFont: string | undefined;
  readonly isStandard: boolean;
  readonly isVisible: boolean;
  readonly program: FontProgram | undefined;
  readonly hasProgram: boolean;
  readonly programKey: string | undefined;
  readonly programSubtype: string | undefined;
  readonly isSymbolic: boolean;
  /** The name of the encoding, or of its base; undefined if it has none. */
  readonly encoding: string | undefined;
  readonly hasEncoding: boolean;
  readonly hasDifferences: boolean;
  /** Whether all names of the differences are known, and the program has a Unicode table for them. */
  readonly differencesAreUnicode: boolean;
  readonly widthCount: number | undefined;
  readonly firstCode: number | undefined;
  readonly lastCode: number | undefined;
  readonly descendant: DescendantFacts | undefined;
  /** Glyph names in `CharSet`; undefined if there is none. */
  readonly charSet: ReadonlySet<string> | undefined;
  readonly isSubset: boolean;
}

export interface DescendantFacts {
  readonly dictionary: PlainDictionary;
  readonly subtype: string | undefined;
  readonly hasGlyphMap: boolean;
  readonly collection: Collection | undefined;
  readonly cidSet: Uint8Array | undefined;
  readonly map: CMapFacts;
}

export interface Collection {
  readonly registry: string;
  readonly ordering: string;
  readonly supplement: number;
}

export interface CMapFacts {
  /** The name of a CMap that is not embedded. */
  readonly name: string | undefined;
  readonly isPredefined: boolean;
  readonly isIdentity: boolean;
  readonly collection: Collection | undefined;
  /** Of an embedded one: the writing modes in its dictionary and its file, and the name of the CMap that it uses. */
  readonly declaredMode: number | undefined;
  readonly fileMode: number | undefined;
  readonly base: string | undefined;
  readonly largestCid: number;
}

/** A code that is shown in a font. */
export interface ShownGlyph {
  readonly font: FontFacts;
  readonly code: number;
  readonly isVisible: boolean;
  /** Undefined if the program cannot be read, or the code cannot be looked up. */
  readonly glyph: GlyphFacts | undefined;
  readonly dictionaryWidth: number | undefined;
  /** Bytes of the code. */
  readonly length: number;
  /** Whether it is shown somewhere outside of an element or a sequence with `ActualText`. */
  readonly isUnreplaced: boolean;
  /** UTF-16 of the code: undefined if there is none. */
  readonly unicode: readonly number[] | undefined;
  readonly hasUnicode: boolean;
}

/** The bytes of the file outside its objects. */
export interface FileFacts {
  /** Whether the first byte begins the header. */
  readonly headerIsFirst: boolean;
  /** The header line without its end. */
  readonly header: string;
  /** Whether a comment with four bytes above 127 follows the header. */
  readonly hasBinaryComment: boolean;
  /** The identifiers of the first and the last trailer; undefined if there is none. They are the same in a file that is not linearized. */
  readonly firstId: string | undefined;
  readonly lastId: string | undefined;
  readonly isLinearized: boolean;
  /** Bytes after the last end-of-file marker and its line end. */
  readonly bytesAfterEnd: number;
  readonly hasXrefStream: boolean;
  /** Whether each cross-reference table has one line end after `xref`, and one space in the headers of its subsections. */
  readonly tablesAreSound: boolean;
  readonly objectCount: number;
  readonly isEncrypted: boolean;
}

/** The written form of an object. */
export interface ObjectSpacing {
  readonly hasSoundSpacing: boolean;
}

export interface WrittenStream {
  readonly lengthIsRight: boolean;
  readonly keywordsAreSound: boolean;
}

export interface HexString {
  readonly digits: number;
  readonly isClean: boolean;
}

export interface WrittenNumber {
  readonly value: number;
  readonly isReal: boolean;
}

/** A value in an object: only those that a rule may be about. */
export interface SizedValue {
  readonly kind: "string" | "name" | "array" | "dictionary";
  /** Bytes, items, or entries. */
  readonly size: number;
}

export interface ContentOperator {
  readonly name: string;
}

/** The dictionary of an element. */
export interface Subject {
  readonly dictionary: PlainDictionary;
}

export interface AnnotationFacts extends Subject {
  readonly subtype: string;
  readonly flags: number | undefined;
  readonly isWidget: boolean;
  readonly fieldType: string | undefined;
  /** Width and height of its rectangle. */
  readonly width: number;
  readonly height: number;
}

export interface FieldFacts extends Subject {
  readonly isWidget: boolean;
}

export interface ActionFacts extends Subject {
  readonly type: string | undefined;
  readonly named: string | undefined;
}

export interface ImageElement extends Subject {
  readonly isInline: boolean;
  readonly isMask: boolean;
  readonly bitsPerComponent: number | undefined;
  readonly isJpx: boolean;
  readonly interpolates: boolean;
}

export interface PageFacts extends Subject {
  readonly hasTransparency: boolean;
  /** Whether its group has a color space. */
  readonly groupHasSpace: boolean;
  /** Whether the document, or in part 4 the page, has an intent of PDF/A. */
  readonly hasIntent: boolean;
  /** Sides of its boxes, by name, in units of the page. */
  readonly sides: readonly number[];
}

export interface ContentFacts {
  /** ResourceScope that the content names and does not have itself. */
  readonly inherited: readonly string[];
  readonly missing: readonly string[];
}

/** Text of names that must be UTF-8. */
export interface UnicodeName {
  readonly name: string;
}

export interface ConfigurationFacts extends Subject {
  readonly name: string | undefined;
  readonly isNameUnique: boolean;
  readonly ordersAll: boolean;
  /** Whether its Order refers to layers at all. */
  readonly hasOrder: boolean;
}

export interface EmbeddedFileFacts extends Subject {
  /** Undefined if it was not judged. */
  readonly conforms: boolean | undefined;
}

/** A signature and the bytes that it covers. */
export interface SignedBytes {
  /** Whether it covers a revision of the file up to its end, and leaves out nothing but itself. */
  readonly coversRevision: boolean;
  readonly signers: number;
  readonly certificates: number;
}

/** Text that takes the place of the marks on a page (14.9.4). */
export interface ActualText {
  readonly text: string;
}

/** Where the role map leads from the type of a structure element (ISO 32000-1, 14.7.3). */
export interface StructureTypeFacts {
  readonly type: string;
  /** To a standard type, or it is one. */
  readonly isKnown: boolean;
  /** In a circle. */
  readonly isCircular: boolean;
  /** From a standard type to one that is not. */
  readonly isRemapped: boolean;
}

export interface Elements {
  file: FileFacts;
  writtenObject: ObjectSpacing;
  writtenStream: WrittenStream;
  hexString: HexString;
  writtenNumber: WrittenNumber;
  sizedValue: SizedValue;
  stream: Subject & { readonly filters: readonly string[] };
  unicodeName: UnicodeName;
  catalog: Subject;
  permissions: Subject;
  signatureReference: Subject;
  page: PageFacts;
  content: ContentFacts;
  operator: ContentOperator;
  savedStates: { readonly depth: number };
  renderingIntent: { readonly name: string };
  inlineFilters: { readonly filters: readonly string[] };
  outputIntent: Subject & { readonly hasProfileReference: boolean };
  outputProfile: IccFacts & { readonly components: number | undefined };
  outputIntents: OutputIntents;
  iccSpace: IccFacts & {
    readonly components: number | undefined;
    /** Whether the profile is also that of the output intent, or of the blending space. */
    readonly isGiven: boolean;
  };
  iccCmykUse: { readonly overprints: boolean; readonly mode: number };
  deviceColor: ColorUse;
  deviceN: DeviceNFacts;
  separation: SeparationFacts;
  graphicsState: Subject;
  halftone: Subject & { readonly isNested: boolean; readonly colorant: string | undefined };
  image: ImageElement;
  jpx: JpxBoxes;
  form: Subject;
  xobject: Subject;
  blendMode: { readonly names: readonly string[] };
  softMask: { readonly isNone: boolean };
  opacity: { readonly value: number };
  group: Subject;
  font: FontFacts;
  glyph: ShownGlyph;
  annotation: AnnotationFacts;
  field: FieldFacts;
  interactiveForm: Subject;
  signature: Subject;
  signedBytes: SignedBytes;
  actualText: ActualText;
  language: { readonly tag: string };
  structureElement: StructureTypeFacts;
  action: ActionFacts;
  layers: ConfigurationFacts;
  fileSpecification: Subject & { readonly isAssociated: boolean };
  embeddedFile: EmbeddedFileFacts;
}

export type Kind = keyof Elements;

/** Where an element is. */
export interface Place {
  /** The number of the object; 0 for the file or the trailer. */
  readonly object: number;
  /** 1-based; undefined for elements that no page has. */
  readonly page?: number | undefined;
  /** The element in words, for example the name of a font. */
  readonly context?: string | undefined;
}
