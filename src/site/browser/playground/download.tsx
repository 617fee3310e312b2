import { useEffect, useState } from "preact/hooks";

/** A URL for a blob, valid as long as the blob is shown. */
export function useBlobUrl(blob: Blob): string {
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

export function Download({ blob, name, label = "Download" }: { blob: Blob; name: string; label?: string }) {
  return (
    <a class="button" href={useBlobUrl(blob)} download={name} title={name}>
      {label}
    </a>
  );
}
