/**
 * The schemas that PDF/A has predefined, with the types of their properties: those of the XMP Specification of January 2004 for ISO 19005-1 (6.7.2),
 * of September 2005 for ISO 19005-2 and 3 (6.6.2.3.1). A line has the names of one type: `Bag`, `Seq`, and `Alt` are arrays of it.
 */

const XAP = "http://ns.adobe.com/xap/1.0/";
const TYPES = `${XAP}sType/`;
const XMP_DM = "http://ns.adobe.com/xmp/1.0/DynamicMedia/";
const EXIF = "http://ns.adobe.com/exif/1.0/";
export const PDFA_IDENTIFICATION = "http://www.aiim.org/pdfa/ns/id/";

/** Types by names. */
type Names = Readonly<Record<string, string>>;

export interface XmpStructure {
  readonly namespace: string;
  /** Types of fields by their names. */
  readonly fields: ReadonlyMap<string, string>;
}

/** The later part of the two adds these to `names`. */
interface Schema {
  readonly names: Names;
  readonly added?: Names;
  /** Whether the first part does not have the schema. */
  readonly isLater?: boolean;
}

const SCHEMAS: Readonly<Record<string, Schema>> = {
  "http://purl.org/dc/elements/1.1/": {
    names: {
      "Bag ProperName": "contributor publisher",
      "Bag Text": "relation subject type",
      "Bag Locale": "language",
      "Seq ProperName": "creator",
      "Seq Date": "date",
      "Lang Alt": "description rights title",
      MIMEType: "format",
      Text: "coverage identifier source",
    },
  },
  [XAP]: {
    names: {
      "Bag XPath": "Advisory",
      "Bag Text": "Identifier",
      "Alt Thumbnail": "Thumbnails",
      AgentName: "CreatorTool",
      Date: "CreateDate MetadataDate ModifyDate",
      Text: "Nickname",
      URL: "BaseURL",
    },
    added: { Text: "Label", Integer: "Rating" },
  },
  [`${XAP}rights/`]: {
    names: {
      "Bag ProperName": "Owner",
      "Lang Alt": "UsageTerms",
      Boolean: "Marked",
      URL: "Certificate WebStatement",
    },
  },
  [`${XAP}mm/`]: {
    names: {
      "Seq ResourceEvent": "History",
      "Seq Version": "Versions",
      AgentName: "Manager",
      Integer: "SaveID",
      RenditionClass: "RenditionClass",
      ResourceRef: "DerivedFrom ManagedFrom RenditionOf",
      Text: "ManagerVariant RenditionParams VersionID",
      URI: "DocumentID InstanceID ManageTo ManageUI",
      URL: "LastURL",
    },
  },
  [`${XAP}bj/`]: { names: { "Bag Job": "JobRef" } },
  [`${XAP}t/pg/`]: {
    names: { Dimensions: "MaxPageSize", Integer: "NPages" },
    added: { "Bag Font": "Fonts", "Seq Colorant": "Colorants", "Seq Text": "PlateNames" },
  },
  "http://ns.adobe.com/pdf/1.3/": { names: { AgentName: "Producer", Text: "Keywords PDFVersion" } },
  "http://ns.adobe.com/photoshop/1.0/": {
    names: {
      "Bag Text": "SupplementalCategories",
      Date: "DateCreated",
      Integer: "Urgency",
      ProperName: "CaptionWriter",
      Text: "AuthorsPosition Category City Country Credit Headline Instructions Source State TransmissionReference",
    },
  },
  "http://ns.adobe.com/tiff/1.0/": {
    names: {
      "Lang Alt": "Copyright ImageDescription",
      "Seq Integer": "BitsPerSample TransferFunction YCbCrSubSampling",
      "Seq Rational": "PrimaryChromaticities ReferenceBlackWhite WhitePoint YCbCrCoefficients",
      AgentName: "Software",
      Date: "DateTime",
      Integer:
        "Compression ImageLength ImageWidth Orientation PhotometricInterpretation PlanarConfiguration ResolutionUnit SamplesPerPixel YCbCrPositioning",
      ProperName: "Artist Make Model",
      Rational: "XResolution YResolution",
    },
  },
  [EXIF]: {
    names: {
      "Lang Alt": "UserComment",
      "Seq Integer": "ComponentsConfiguration ISOSpeedRatings SubjectArea SubjectLocation",
      CFAPattern: "CFAPattern",
      Date: "DateTimeDigitized DateTimeOriginal GPSTimeStamp",
      DeviceSettings: "DeviceSettingDescription",
      Flash: "Flash",
      GPSCoordinate: "GPSDestLatitude GPSDestLongitude GPSLatitude GPSLongitude",
      Integer:
        "ColorSpace Contrast CustomRendered ExposureMode ExposureProgram FileSource FocalLengthIn35mmFilm FocalPlaneResolutionUnit GainControl " +
        "GPSAltitudeRef GPSDifferential GPSMeasureMode LightSource MeteringMode PixelXDimension PixelYDimension Saturation SceneCaptureType SceneType " +
        "SensingMethod Sharpness SubjectDistanceRange WhiteBalance",
      OECF: "OECF SpatialFrequencyResponse",
      Rational:
        "ApertureValue BrightnessValue CompressedBitsPerPixel DigitalZoomRatio ExposureBiasValue ExposureIndex ExposureTime FlashEnergy FNumber " +
        "FocalLength FocalPlaneXResolution FocalPlaneYResolution GPSAltitude GPSDestBearing GPSDestDistance GPSDOP GPSImgDirection GPSSpeed GPSTrack " +
        "MaxApertureValue ShutterSpeedValue SubjectDistance",
      Text:
        "ExifVersion FlashpixVersion GPSAreaInformation GPSDestBearingRef GPSDestDistanceRef GPSImgDirectionRef GPSMapDatum GPSProcessingMethod " +
        "GPSSatellites GPSSpeedRef GPSStatus GPSTrackRef GPSVersionID ImageUniqueID MakerNote RelatedSoundFile SpectralSensitivity",
    },
  },
  "http://ns.adobe.com/exif/1.0/aux/": { isLater: true, names: { Text: "Lens SerialNumber" } },
  "http://ns.adobe.com/camera-raw-settings/1.0/": {
    isLater: true,
    names: {
      "Seq Text": "ToneCurve",
      Boolean: "AutoBrightness AutoContrast AutoExposure AutoShadows HasCrop HasSettings",
      Integer:
        "BlueHue BlueSaturation Brightness ChromaticAberrationB ChromaticAberrationR ColorNoiseReduction Contrast CropUnits GreenHue GreenSaturation " +
        "LuminanceSmoothing RedHue RedSaturation Saturation Shadows ShadowTint Sharpness Temperature Tint VignetteAmount VignetteMidpoint",
      Real: "CropAngle CropBottom CropHeight CropLeft CropRight CropTop CropWidth Exposure",
      Text: "CameraProfile RawFileName ToneCurveName Version WhiteBalance",
    },
  },
  [XMP_DM]: {
    isLater: true,
    names: {
      "Bag Media": "contributedMedia",
      "Seq Marker": "markers",
      BeatSpliceStretch: "beatSpliceParams",
      Boolean: "loop videoAlphaUnityIsTransparent",
      Colorant: "videoAlphaPremultipleColor",
      Date: "audioModDate metadataModDate releaseDate shotDate videoModDate",
      Dimensions: "videoFrameSize",
      Integer: "audioSampleRate trackNumber",
      ProjectLink: "projectRef",
      Rational: "fileDataRate videoPixelAspectRatio",
      Real: "numberOfBeats tempo",
      ResampleStretch: "resampleParams",
      Text:
        "album altTapeName artist audioChannelType audioCompressor audioSampleType composer copyright engineer genre instrument key logComment " +
        "pullDown scaleType scene shotLocation shotName speakerPlacement stretchMode tapeName timeSignature videoAlphaMode videoColorSpace " +
        "videoCompressor videoFieldOrder videoFrameRate videoPixelDepth",
      Time: "duration introTime outCue relativeTimestamp",
      Timecode: "altTimecode startTimecode",
      TimeScaleStretch: "timeScaleParams",
      URI: "absPeakAudioFilePath relativePeakAudioFilePath",
    },
  },
  [PDFA_IDENTIFICATION]: { names: { Integer: "part", Text: "amd conformance corr" } },
};

const STRUCTURES: Readonly<Record<string, readonly [namespace: string, names: Names]>> = {
  BeatSpliceStretch: [XMP_DM, { Boolean: "useFileBeatsMarker", Real: "riseInDecibel", Time: "riseInTimeDuration" }],
  CFAPattern: [EXIF, { "Seq Integer": "Values", Integer: "Columns Rows" }],
  Colorant: [
    `${XAP}g/`,
    { Integer: "A B blue green red", Real: "L black cyan magenta yellow", Text: "mode swatchName type" },
  ],
  DeviceSettings: [EXIF, { "Seq Text": "Settings", Integer: "Columns Rows" }],
  Dimensions: [`${TYPES}Dimensions#`, { Real: "h w", Text: "unit" }],
  Flash: [EXIF, { Boolean: "Fired Function RedEyeMode", Integer: "Mode Return" }],
  Font: [
    `${TYPES}Font#`,
    {
      "Seq Text": "childFontFiles",
      Boolean: "composite",
      Text: "fontFace fontFamily fontFileName fontName fontType versionString",
    },
  ],
  Job: [`${TYPES}Job#`, { Text: "id name", URL: "url" }],
  Marker: [XMP_DM, { Text: "comment name target type", Time: "duration startTime", URI: "location" }],
  Media: [XMP_DM, { Boolean: "managed", Text: "track", Time: "duration startTime", URI: "path webStatement" }],
  OECF: [EXIF, { "Seq Rational": "Values", "Seq Text": "Names", Integer: "Columns Rows" }],
  ProjectLink: [XMP_DM, { Text: "type", URI: "path" }],
  ResampleStretch: [XMP_DM, { Text: "quality" }],
  ResourceEvent: [
    `${TYPES}ResourceEvent#`,
    { AgentName: "softwareAgent", Date: "when", Text: "action parameters", URI: "instanceID" },
  ],
  ResourceRef: [
    `${TYPES}ResourceRef#`,
    {
      AgentName: "manager",
      RenditionClass: "renditionClass",
      Text: "managerVariant renditionParams versionID",
      URI: "documentID instanceID manageTo manageUI",
    },
  ],
  Thumbnail: [`${XAP}g/img/`, { Integer: "height width", Text: "format image" }],
  Time: [XMP_DM, { Integer: "value", Rational: "scale" }],
  TimeScaleStretch: [XMP_DM, { Real: "frameOverlappingPercentage frameSize", Text: "quality" }],
  Timecode: [XMP_DM, { Text: "timeFormat timeValue" }],
  Version: [
    `${TYPES}Version#`,
    { Date: "modifyDate", ProperName: "modifier", ResourceEvent: "event", Text: "comments version" },
  ],
};

const typesByName = (names: Names): [name: string, type: string][] =>
  Object.entries(names).flatMap(([type, list]) => list.split(" ").map((name): [string, string] => [name, type]));

/** The type of each property that a part predefines, by `key`. */
function propertiesOf(part: 1 | 2): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const [namespace, { names, added, isLater }] of Object.entries(SCHEMAS)) {
    if (part === 1 && isLater === true) continue;
    for (const each of part === 1 ? [names] : [names, added ?? {}]) {
      for (const [name, type] of typesByName(each)) types.set(key(namespace, name), type);
    }
  }
  return types;
}

export const key = (namespace: string, local: string): string => `${namespace} ${local}`;

/** By part of ISO 19005: 3 has those of 2, and 4 has no predefined schemas. */
export const PREDEFINED = { 1: propertiesOf(1), 2: propertiesOf(2), 3: propertiesOf(2) };

export const STRUCTURE_TYPES: ReadonlyMap<string, XmpStructure> = new Map(
  Object.entries(STRUCTURES).map(([type, [namespace, names]]) => [
    type,
    { namespace, fields: new Map(typesByName(names)) },
  ]),
);
