import { NUMBER_STYLES, numberedText, numberIssue } from "../../../../page-numbers.ts";
import type { FormValues, LocalFile } from "../../../description/form-values.ts";
import { useBlobUrl } from "../download.tsx";

export interface PageSize {
  /** In points. */
  readonly width: number;
  readonly height: number;
}

interface Props {
  readonly operation: string;
  readonly values: FormValues;
  readonly page: number;
  readonly pageCount: number;
  readonly size: PageSize;
}

/** Which operations have a stamp that can be sketched. */
export const hasStamp = (operation: string): boolean => operation === "watermark" || operation === "add-page-numbers";

/** A sketch of the stamp, in the browser's own font: what the service makes can differ a little. */
export function StampPreview({ operation, values, page, pageCount, size }: Props) {
  const { texts } = values;
  if (operation === "add-page-numbers") return <PageNumber {...{ texts, page, pageCount, size }} />;
  const image = values.files["image"]?.[0];
  if (texts["kind"] === "image") {
    return image && "blob" in image ? <ImageMark key={image.name} image={image} texts={texts} size={size} /> : null;
  }
  return <TextMark texts={texts} size={size} />;
}

type Texts = FormValues["texts"];

const numberIn = (texts: Texts, name: string): number | undefined => {
  const text = texts[name] ?? "";
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? undefined : value;
};

function PageNumber({ texts, page, pageCount, size }: { texts: Texts } & Pick<Props, "page" | "pageCount" | "size">) {
  const template = texts["template"] ?? "";
  const style = NUMBER_STYLES.find((one) => one === texts["style"]) ?? "arabic";
  const number = (numberIn(texts, "startAt") ?? 1) + page - 1;
  const [vertical = "bottom", horizontal = "center"] = (texts["position"] ?? "").split("-");
  const margin = numberIn(texts, "marginPt") ?? 20;
  const fontSize = numberIn(texts, "fontSize") ?? 10;
  const x = { left: margin, right: size.width - margin }[horizontal] ?? size.width / 2;
  // The space above and below the baseline that the service reserves, as fractions of the font size.
  const y = vertical === "top" ? margin + 0.78 * fontSize : size.height - margin - 0.22 * fontSize;
  // The service refuses a number that the style cannot write.
  if (numberIssue(template, style, number) !== undefined) return null;
  const anchor = { left: "start", right: "end" }[horizontal] ?? "middle";
  return (
    <text x={x} y={y} font-size={fontSize} text-anchor={anchor} fill={texts["color"] ?? "#000000"}>
      {numberedText(template, style, number, pageCount)}
    </text>
  );
}

interface Mark {
  /** Its extent at scale 1. */
  readonly across: number;
  readonly up: number;
  /** Its scale if its size is given. */
  readonly scale: number | undefined;
  /** The largest scale where it is fitted to the page. */
  readonly most: number;
}

/** Where the service puts a watermark: the center, the angle in degrees clockwise, and the scale. */
function placeOf(texts: Texts, { across, up, scale, most }: Mark, { width, height }: PageSize) {
  const position = texts["position"] ?? "center";
  const diagonal = position === "diagonal" ? Math.atan2(height, width) : 0;
  const angle = diagonal + ((numberIn(texts, "rotation") ?? 0) * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const [wide, high] = [across * cos + up * sin, across * sin + up * cos];
  const part = texts["tile"] === "true" ? 0.25 : position.includes("-") ? 0.3 : 0.8;
  const fitted = Math.min((part * width) / wide, (part * height) / high, most);
  const chosen = scale ?? fitted;
  const margin = 0.04 * Math.min(width, height);
  const [halfWide, halfHigh] = [(wide * chosen) / 2, (high * chosen) / 2];
  const x = position.endsWith("left")
    ? margin + halfWide
    : position.endsWith("right")
      ? width - margin - halfWide
      : width / 2;
  const y = position.startsWith("top")
    ? margin + halfHigh
    : position.startsWith("bottom")
      ? height - margin - halfHigh
      : height / 2;
  return { x, y, degrees: (-angle * 180) / Math.PI, scale: chosen };
}

const opacityOf = (texts: Texts): number => Math.min(1, Math.max(0, numberIn(texts, "opacity") ?? 0.35));

/** At this font size, text is measured. */
const MEASURED = 100;
const LINE = 1.2;

function TextMark({ texts, size }: { texts: Texts; size: PageSize }) {
  const lines = (texts["text"] ?? "").split("\n");
  const context = document.createElement("canvas").getContext("2d");
  if (lines.join("").trim() === "" || context === null) return null;
  context.font = `${MEASURED}px "Noto Sans", sans-serif`;
  const across = Math.max(1, ...lines.map((line) => context.measureText(line).width));
  const up = MEASURED * (0.75 + LINE * (lines.length - 1));
  const fontSize = numberIn(texts, "fontSize");
  const mark = {
    across,
    up,
    scale: fontSize === undefined ? undefined : fontSize / MEASURED,
    most: (0.25 * Math.min(size.width, size.height)) / MEASURED,
  };
  const { x, y, degrees, scale } = placeOf(texts, mark, size);
  const marks = tiled(texts, [across * scale, up * scale], { x, y }, degrees, size);
  return (
    <g fill={texts["color"] ?? "#888888"} opacity={opacityOf(texts)} font-family="'Noto Sans', sans-serif">
      {marks.map((at, index) => (
        <g key={index} transform={`translate(${at.x} ${at.y}) rotate(${degrees}) scale(${scale})`} text-anchor="middle">
          {lines.map((line, row) => (
            <text key={row} font-size={MEASURED} y={-up / 2 + MEASURED * (0.73 + LINE * row)}>
              {line}
            </text>
          ))}
        </g>
      ))}
    </g>
  );
}

function ImageMark({ image, texts, size }: { image: LocalFile; texts: Texts; size: PageSize }) {
  const url = useBlobUrl(image.blob);
  if (url === "") return null;
  const width = (numberIn(texts, "scale") ?? (texts["tile"] === "true" ? 0.25 : 0.5)) * size.width;
  // The image keeps its shape within this square.
  const { x, y, degrees } = placeOf(texts, { across: width, up: width, scale: 1, most: 1 }, size);
  return (
    <image
      href={url}
      x={-width / 2}
      y={-width / 2}
      width={width}
      height={width}
      opacity={opacityOf(texts)}
      transform={`translate(${x} ${y}) rotate(${degrees})`}
    />
  );
}

/** The centers of the marks: one, or a grid over the page. */
function tiled(
  texts: Texts,
  [across, up]: readonly [number, number],
  center: { readonly x: number; readonly y: number },
  degrees: number,
  { width, height }: PageSize,
) {
  if (texts["tile"] !== "true") return [center];
  const long = Math.max(across, up);
  const space = Math.max(Math.min(across, up, 0.35 * long), 0.15 * long, 1);
  const [stepX, stepY] = [across + space, up + space];
  const reach = Math.hypot(width, height) / 2;
  const [columns, rows] = [Math.min(20, Math.ceil(reach / stepX) + 1), Math.min(40, Math.ceil(reach / stepY))];
  const turn = (degrees * Math.PI) / 180;
  const found = [];
  for (let row = -rows; row <= rows; row += 1) {
    for (let column = -columns; column <= columns; column += 1) {
      const [gridX, gridY] = [(column + (row % 2 === 0 ? 0 : 0.5)) * stepX, row * stepY];
      found.push({
        x: width / 2 + gridX * Math.cos(turn) - gridY * Math.sin(turn),
        y: height / 2 + gridX * Math.sin(turn) + gridY * Math.cos(turn),
      });
    }
  }
  return found;
}
