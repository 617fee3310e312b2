import { useEffect, useState } from "preact/hooks";
import type { FormValues } from "../../../description/form-values.ts";
import { useBlobUrl } from "../download.tsx";

/** The signature as it will be in its box, where the values have one: a picture, or the name in the service's font. */
export function SignaturePreview({ values: { texts, files } }: { values: FormValues }) {
  const image = files["signatureImage"]?.[0];
  const name = texts["typedName"] ?? "";
  if (texts["mode"] === "image") return image && "blob" in image ? <Picture image={image.blob} /> : null;
  return name.trim() === "" ? null : <TypedName name={name} />;
}

function Picture({ image }: { image: Blob }) {
  const url = useBlobUrl(image);
  return url === "" ? null : <img class="signature" src={url} alt="" draggable={false} />;
}

/** At this font size, the name is measured. */
const MEASURED = 100;
const FONT = `${MEASURED}px "Great Vibes"`;

function TypedName({ name }: { name: string }) {
  const [box, setBox] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    void document.fonts.load(FONT, name).then(() => {
      const context = document.createElement("canvas").getContext("2d");
      if (!isCurrent || context === null) return;
      context.font = FONT;
      const ink = context.measureText(name);
      const { actualBoundingBoxLeft: left, actualBoundingBoxAscent: up } = ink;
      setBox(`${-left} ${-up} ${left + ink.actualBoundingBoxRight} ${up + ink.actualBoundingBoxDescent}`);
    });
    return () => {
      isCurrent = false;
    };
  }, [name]);
  if (box === undefined) return null;
  return (
    <svg class="signature" viewBox={box} aria-hidden="true">
      <text font-size={MEASURED}>{name}</text>
    </svg>
  );
}
