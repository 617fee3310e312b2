/** The character collections of predefined CMaps (ISO 32000-2, table 116). */
import type { Collection } from "./elements.ts";

const NAMES: Readonly<Record<string, readonly (readonly [supplement: number, names: string])[]>> = {
  GB1: [
    [0, "GB-EUC GBpc-EUC"],
    [2, "GBK-EUC GBKp-EUC"],
    [4, "GBK2K"],
    [4, "UniGB-UCS2"],
    [5, "UniGB-UTF16"],
  ],
  CNS1: [
    [0, "B5pc ETen-B5 ETenms-B5 CNS-EUC UniCNS-UCS2"],
    [1, "HKscs-B5"],
    [4, "UniCNS-UTF16"],
  ],
  Japan1: [
    [1, "83pv-RKSJ 90pv-RKSJ"],
    [2, "90ms-RKSJ 90msp-RKSJ Add-RKSJ EUC Ext-RKSJ"],
    [1, "H V"],
    [4, "UniJIS-UCS2 UniJIS-UCS2-HW"],
    [5, "UniJIS-UTF16"],
    [6, "UniJIS2004-UTF16"],
  ],
  Korea1: [
    [0, "KSC-EUC"],
    [1, "KSCms-UHC KSCms-UHC-HW KSCpc-EUC UniKS-UCS2"],
    [2, "UniKS-UTF16"],
  ],
};

const COLLECTIONS = new Map<string, Collection>();
for (const [ordering, groups] of Object.entries(NAMES)) {
  for (const [supplement, names] of groups) {
    for (const name of names.split(" ")) {
      const collection = { registry: "Adobe", ordering, supplement };
      if (name === "H" || name === "V") COLLECTIONS.set(name, collection);
      else for (const mode of ["H", "V"]) COLLECTIONS.set(`${name}-${mode}`, collection);
    }
  }
}
for (const name of ["Identity-H", "Identity-V"])
  COLLECTIONS.set(name, { registry: "Adobe", ordering: "Identity", supplement: 0 });

/** The collection of a predefined CMap; undefined if the name is none. */
export const predefinedCollection = (name: string): Collection | undefined => COLLECTIONS.get(name);
