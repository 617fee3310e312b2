/**
 * The first duplicate key of an object in a JSON text, at any depth, or undefined. JSON.parse silently keeps the last one (RFC
 * 8259, section 4). The text must be valid JSON, so that only its strings need care.
 */
export function repeatedKey(json: string): string | undefined {
  /** The keys of the open objects, outermost first; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let text = "";
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const start = at;
      for (at++; json[at] !== '"'; at++) if (json[at] === "\\") at++;
      text = json.slice(start, at + 1);
    } else if (character === ":") {
      const key = JSON.parse(text) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
