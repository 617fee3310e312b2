/**
 * Part of `npm run check`: the name of a test is a statement that can be read and found alone ("a key without the scope is rejected with 403"). Or
 * it begins with the verb of the module that its `describe` names. A `describe` names a place: a module, an endpoint, an operation, a subject. The
 * check knows only plain marks of a fragment, so a name that passes can still be a bad one.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "vitest/node";
import { root } from "./root.ts";

/** First words of fragments: they continue a sentence of the `describe`. */
const FRAGMENT = new Set(
  [
    "it its they their is are was were be has have had may might must can cannot do did will would",
    "and or nor but so than that this which who whose what where when while if because although however whether",
    "of with without within in into at by on for from to as under over above below after before behind beside beyond through during until",
    "not no-one once twice again also even too neither always",
    "stay go lose keep get take begin come follow lack leave let emit become know put stop",
  ].flatMap((words) => words.split(" ")),
);
/** Words of a clause: the name of a place has none. */
const CLAUSE =
  /\b(?:is|are|was|were|has|have|had|may|can|cannot|must|does|do|that|which|who|whose|what|where|when|while)\b/;
/** Values that Vitest fills in, and those of a template literal. */
const PLACEHOLDER = /%(?:[sdifjoO#]|\$)|\$\{\}|\$[a-z]\w*/g;
/** Nearly every verb in a name is one of these or has one of these endings. So do other words: a name without any has no verb, but not the reverse. */
const VERB = /\b(?:is|are|was|were|has|have|may|can|cannot|must|does|do|\w+(?:s|ed|n't))\b/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

/** Every call in a tree of syntax. */
function* callsIn(node: Node): Generator<Node> {
  if (node.type === "CallExpression") yield node;
  for (const member of Object.values(node)) {
    for (const child of Array.isArray(member) ? (member as unknown[]) : [member])
      if (isNode(child)) yield* callsIn(child);
  }
}

/** The function of Vitest that a call names: `test` for `test(...)`, `test.skip(...)`, and `test.each(...)(...)`, whose first call has no name. */
function calledFunction(call: Node): string | undefined {
  let callee = call["callee"] as Node;
  if (callee.type === "CallExpression") callee = callee["callee"] as Node;
  else if (callee.type === "MemberExpression" && !/^(?:skip|only|todo|concurrent)$/.test(memberOf(callee)))
    return undefined;
  while (callee.type === "MemberExpression") callee = callee["object"] as Node;
  return callee.type === "Identifier" ? String(callee["name"]) : undefined;
}

function memberOf(expression: Node): string {
  return String((expression["property"] as Node)["name"]);
}

/** The text of a literal, with `${}` for each value; undefined if a name is computed. */
function textOf(node: Node | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node?.type !== "TemplateLiteral") return undefined;
  return (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("${}");
}

function problemOfTest(name: string): string | undefined {
  const words = name.replace(PLACEHOLDER, " ").match(/[\p{L}\d][\p{L}\d'-]*/gu) ?? [];
  const [first = ""] = /^[a-z-]+(?![\w(.])/.exec(name) ?? [];
  if (FRAGMENT.has(first)) return `begins with "${first}"`;
  if (words.length < 2 || words.length + (name.match(PLACEHOLDER)?.length ?? 0) < 3) return "has too few words";
  return VERB.test(name) ? undefined : "has no verb";
}

function problemOfPlace(name: string): string | undefined {
  const [first = ""] = /^[a-z-]+(?![\w(.])/.exec(name) ?? [];
  if (FRAGMENT.has(first)) return `begins with "${first}"`;
  const clause = CLAUSE.exec(name);
  return clause ? `is a clause with "${clause[0]}", not a place` : undefined;
}

const problems: string[] = [];
let names = 0;
for (const path of globSync("test/**/*.test.ts", { cwd: root }).toSorted()) {
  const source = readFileSync(join(root, path), "utf8");
  for (const call of callsIn(parseAst(source, { lang: "ts" }) as unknown as Node)) {
    const called = calledFunction(call);
    const isPlace = called === "describe";
    if (!isPlace && called !== "it" && called !== "test") continue;
    const name = textOf((call["arguments"] as Node[])[0]);
    if (name === undefined) continue;
    names++;
    const problem = isPlace ? problemOfPlace(name) : problemOfTest(name);
    if (problem === undefined) continue;
    const line = source.slice(0, call.start).split("\n").length;
    problems.push(`${path}:${line}: ${isPlace ? "describe" : "test"} "${name}" ${problem}`);
  }
}
if (names === 0) problems.push("no test has a name");
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
