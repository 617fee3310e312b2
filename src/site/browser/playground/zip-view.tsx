import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asFile, type LocalFile } from "../../description/form-values.ts";
import { typeOfName } from "../../description/media-types.ts";
import { bytes, number } from "../parts/figures.ts";
import { Download } from "./download.tsx";

interface Entry {
  readonly name: string;
  readonly size: number;
}

interface Archive {
  readonly entries: readonly Entry[];
  /** Unpacks one file. */
  read(name: string): Blob;
}

/** Shows where files of a ZIP can be used. They are unpacked when they are. */
export type UseFiles = (names: readonly string[], files: () => readonly LocalFile[]) => ComponentChildren;

interface Props {
  readonly zip: Blob;
  readonly show: (file: Blob, name: string) => ComponentChildren;
  readonly useFiles: UseFiles | undefined;
}

async function openZip(zip: Blob): Promise<Archive> {
  const { unzipSync } = await import("./unzip.ts");
  const data = new Uint8Array(await zip.arrayBuffer());
  const entries: Entry[] = [];
  unzipSync(data, {
    filter: ({ name, originalSize }) => {
      entries.push({ name, size: originalSize });
      return false;
    },
  });
  return {
    entries,
    read(name) {
      const bytes = unzipSync(data, { filter: (file) => file.name === name })[name];
      return new Blob(bytes ? [bytes as Uint8Array<ArrayBuffer>] : [], {
        type: typeOfName(name) ?? "application/octet-stream",
      });
    },
  };
}

/** The contents of a ZIP: every entry with its size, and the selected one open. */
export function ZipView({ zip, show, useFiles }: Props) {
  const [archive, setArchive] = useState<Archive>();
  const [chosen, setChosen] = useState<{ name: string; blob: Blob }>();
  useEffect(() => {
    void openZip(zip).then((archive) => {
      setArchive(archive);
      const [first] = archive.entries;
      if (first) setChosen({ name: first.name, blob: archive.read(first.name) });
    });
  }, [zip]);
  if (archive === undefined) return <p class="quiet">Opening the ZIP archive…</p>;
  const names = archive.entries.map(({ name }) => name);
  return (
    <>
      <div class="row zip-head">
        <span class="quiet grow">{number(archive.entries.length)} files</span>
        {archive.entries.length > 1 && useFiles?.(names, () => names.map((name) => asFile(archive.read(name), name)))}
      </div>
      <ul class="entries">
        {archive.entries.map(({ name, size }) => (
          <li key={name}>
            <button
              type="button"
              class="plain"
              aria-pressed={chosen?.name === name}
              onClick={() => setChosen({ name, blob: archive.read(name) })}
            >
              {name}
            </button>
            <span class="quiet">{bytes(size)}</span>
          </li>
        ))}
      </ul>
      {chosen && (
        <section class="entry" aria-label={chosen.name}>
          <div class="row">
            <strong class="grow">{chosen.name}</strong>
            {useFiles?.([chosen.name], () => [asFile(chosen.blob, chosen.name)])}
            <Download blob={chosen.blob} name={chosen.name} />
          </div>
          <Fragment key={chosen.name}>{show(chosen.blob, chosen.name)}</Fragment>
        </section>
      )}
    </>
  );
}
