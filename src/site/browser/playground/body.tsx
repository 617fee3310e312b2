import { useState } from "preact/hooks";
import { typeOfName } from "../../description/media-types.ts";
import { useBlobUrl } from "./download.tsx";
import { TextView } from "./text-view.tsx";
import { JsonView } from "./json-view.tsx";
import { MarkdownResult } from "./reading/markdown-result.tsx";
import { PdfView } from "./pages/pdf-view.tsx";
import { type UseFiles, ZipView } from "./zip-view.tsx";

interface Props {
  readonly blob: Blob;
  readonly type: string;
  readonly name: string;
  /** Passwords to try. */
  readonly passwords: readonly string[];
  /** The PDF that it was made of, if it is known: a file, or a path of the API. */
  readonly source?: Blob | string | undefined;
  /** The way from files of a ZIP to other operations. */
  readonly useFiles?: UseFiles | undefined;
}

/** Shows a file according to its type. */
export function Body({ blob, type: given, name, passwords, source, useFiles }: Props) {
  // Attachments come without a type.
  const type = given === "application/octet-stream" ? (typeOfName(name) ?? given) : given;
  if (type === "application/pdf") return <PdfView file={blob} passwords={passwords} />;
  if (type === "application/zip") {
    const show = (file: Blob, name: string) => <Body blob={file} type={file.type} name={name} passwords={passwords} />;
    return <ZipView zip={blob} {...{ show, useFiles }} />;
  }
  if (type === "application/json") return <JsonView {...{ blob, name, passwords, source }} />;
  if (type === "text/markdown") return <MarkdownResult {...{ blob, passwords, source }} />;
  if (type.startsWith("text/") || type === "application/xml") return <TextView blob={blob} />;
  if (type.startsWith("image/")) return <ImageView blob={blob} name={name} />;
  return <p class="quiet">Files of this type cannot be shown here.</p>;
}

function ImageView({ blob, name }: { blob: Blob; name: string }) {
  const url = useBlobUrl(blob);
  const [loaded, setLoaded] = useState("");
  // Its size is known once it is loaded: it would move if it was seen before.
  const visibility = loaded === url ? "visible" : "hidden";
  return (
    <p class="image">
      {url !== "" && <img src={url} alt={name} style={{ visibility }} onLoad={() => setLoaded(url)} />}
    </p>
  );
}
