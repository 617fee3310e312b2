/** The relationships of a part in an Open Packaging package (ECMA-376, part 2, 9.3). */
import type { Work } from "../../work.ts";
import type { Archive } from "./archive.ts";
import { attribute, elementsIn, parseXml, type XmlElement } from "./xml.ts";

export interface Relationship {
  /** The last word of its type, such as `image`. */
  readonly type: string;
  /** The name of an entry of the archive, or a URI. */
  readonly target: string;
  readonly external: boolean;
}

/** An XML part; undefined if there is none of that name. */
export async function partAt(work: Work, archive: Archive, name: string | undefined): Promise<XmlElement | undefined> {
  const text = name === undefined ? undefined : await archive.readText(name);
  return text === undefined || name === undefined ? undefined : parseXml(work, text, name);
}

/** The name of the main part of a package, which programs choose. Undefined if the package does not name it. */
export async function mainPartOf(work: Work, archive: Archive): Promise<string | undefined> {
  const relationships = await relationshipsOf(work, archive, "");
  return relationships.values().find(({ type, external }) => type === "officeDocument" && !external)?.target;
}

/** By their identifiers. `part`: its name, or "" for the package. */
export async function relationshipsOf(
  work: Work,
  archive: Archive,
  part: string,
): Promise<ReadonlyMap<string, Relationship>> {
  const [folder, file] = [part.slice(0, part.lastIndexOf("/") + 1), part.slice(part.lastIndexOf("/") + 1)];
  const root = await partAt(work, archive, `${folder}_rels/${file}.rels`);
  return new Map(
    elementsIn(root, "Relationship").map((relationship) => {
      const target = attribute(relationship, "Target") ?? "";
      const external = attribute(relationship, "TargetMode") === "External";
      const type = (attribute(relationship, "Type") ?? "").replace(/^.*\//, "");
      return [
        attribute(relationship, "Id") ?? "",
        { type, target: external ? target : resolved(folder, target), external },
      ];
    }),
  );
}

function resolved(folder: string, target: string): string {
  const path: string[] = [];
  for (const step of (target.startsWith("/") ? target : `${folder}${target}`).split("/")) {
    if (step === "..") path.pop();
    else if (step !== "" && step !== ".") path.push(step);
  }
  return path.join("/");
}
