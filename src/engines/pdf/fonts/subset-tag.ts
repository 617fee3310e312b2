/** Names of font subsets (ISO 32000-2, 9.9.2). */

const SUBSET_TAG = /^[A-Z]{6}\+/;

export const withoutSubsetTag = (name: string): string => name.replace(SUBSET_TAG, "");

/** The name with a tag of six letters that stand for this number, unless it has one. */
export function withSubsetTag(name: string, number: number): string {
  if (SUBSET_TAG.test(name)) return name;
  const letters = Array.from({ length: 6 }, (_, place) => 65 + (Math.floor(number / 26 ** (5 - place)) % 26));
  return `${String.fromCharCode(...letters)}+${name}`;
}
