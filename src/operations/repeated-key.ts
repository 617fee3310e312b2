/**
 * The first key that an object of a JSON text has twice, at any depth; undefined where there is none. JSON.parse keeps the last
 * of two and says nothing (RFC 8259, section 4). The text must be valid JSON, so that only its strings need care.
 */
export function repeatedKey(json: string): string | undefined {
  /** The keys of the objects that are open, from the outside in; undefined for an array. */
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
