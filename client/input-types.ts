/** The TypeScript types of the operations' inputs: a union where a parameter only applies with some values of another. */
import { literals, type Member, valuesOf, type When } from "./description.ts";
import type { Schema } from "./schema-types.ts";

/** Parameters that others depend on, and those others. They share a union. */
interface Dependence {
  readonly governors: readonly Member[];
  readonly governed: readonly Member[];
}

/** Values of a governor with which the same parameters apply. */
interface ValueClass {
  readonly governor: Member;
  readonly values: readonly string[];
  /** Whether it may be left out. */
  readonly optional: boolean;
}

export function inputType(name: string, all: readonly Member[], form: Schema): string {
  const dependences = dependencesOf(all);
  const dependent = new Set(dependences.flatMap(({ governors, governed }) => [...governors, ...governed]));
  const required = (form.anyOf ?? []).flatMap(({ required = [] }) => required);
  const isOneOf = all.filter(({ property }) => required.includes(property));
  const isExclusive = form["x-exactly-one"] === true;
  const own = all.filter((member) => !dependent.has(member) && !(isExclusive && isOneOf.includes(member)));
  const common = `{\n${own.map((member) => property(member, member)).join("")}}`;
  if (dependences.length === 0 && isOneOf.length === 0) return `export interface ${name} ${common}\n`;
  const parts = [common, ...dependences.map((dependence) => union(alternativesOf(dependence)))];
  if (isOneOf.length > 0) {
    const alternatives = isOneOf.map((one) => {
      const type = one.schema.type === "boolean" ? "true" : one.type;
      if (!isExclusive) return `{ readonly ${one.property}: ${type} }`;
      const lines = isOneOf.map((other) =>
        other === one ? property(one, { type, required: true }) : property(other, excluded(other)),
      );
      return `{\n${lines.join("")}  }`;
    });
    parts.push(union(alternatives));
  }
  return `export type ${name} = ${parts.join(" & ")};\n`;
}

/** The values of parameters with which a response is of some type, and those with which it is not. */
export function narrowed(all: readonly Member[], when: When): { readonly with: string; readonly without: string } {
  const [[name, values] = ["", []], another] = Object.entries(when);
  const governor = all.find(({ property }) => property === name);
  const possible = governor && valuesOf(governor.schema);
  if (governor === undefined || possible === undefined || another !== undefined) {
    throw new Error(`the type of a response depends on ${JSON.stringify(when)}`);
  }
  const written = (values: readonly string[]): string =>
    `{ ${governing({ governor, values, optional: mayBeLeftOut(governor, values) })} }`;
  return { with: written(values), without: written(possible.filter((value) => !values.includes(value))) };
}

const union = (types: readonly string[]): string => `(\n${types.map((type) => `  | ${type}\n`).join("")})`;

function property(
  { property, description }: Member,
  { type, required }: { readonly type: string; readonly required: boolean },
): string {
  const comment = description === undefined ? "" : commented(description, "  ");
  const types = required ? type : [...new Set([type, "undefined"])].join(" | ");
  return `${comment}  readonly ${property}${required ? "" : "?"}: ${types};\n`;
}

function dependencesOf(all: readonly Member[]): readonly Dependence[] {
  const isKnown = (name: string): boolean =>
    all.some(({ property, schema }) => property === name && valuesOf(schema) !== undefined);
  let groups: { readonly names: ReadonlySet<string>; readonly governed: readonly Member[] }[] = [];
  for (const member of all) {
    const names = Object.keys(member.schema["x-when"] ?? {});
    if (names.length === 0 || !names.every(isKnown)) continue;
    const touched = groups.filter((group) => names.some((name) => group.names.has(name)));
    const merged = {
      names: new Set([...touched.flatMap((group) => [...group.names]), ...names]),
      governed: [...touched.flatMap(({ governed }) => governed), member],
    };
    groups = [...groups.filter((group) => !touched.includes(group)), merged];
  }
  return groups.map(({ names, governed }) => ({
    governors: all.filter(({ property }) => names.has(property)),
    governed,
  }));
}

function alternativesOf({ governors, governed }: Dependence): string[] {
  let combinations: (readonly ValueClass[])[] = [[]];
  for (const governor of governors) {
    const classes = classesOf(governor, governed);
    combinations = combinations.flatMap((before) => classes.map((one) => [...before, one]));
  }
  // A governor can depend on another one.
  const possible = combinations.filter((all) => all.every((one) => one.optional || appliesIn(one.governor, all)));
  return possible.map((combination) => {
    const lines = combination.map((one) => {
      const { governor } = one;
      const applies = appliesIn(governor, combination);
      return applies ? `  ${governing(one)};\n` : property(governor, excluded(governor));
    });
    for (const member of governed.filter((member) => !governors.includes(member))) {
      lines.push(property(member, appliesIn(member, combination) ? allowed(member) : excluded(member)));
    }
    return `{\n${lines.join("")}  }`;
  });
}

function classesOf(governor: Member, governed: readonly Member[]): ValueClass[] {
  const own = governed.filter(({ schema }) => schema["x-when"]?.[governor.property] !== undefined);
  const signature = (value: string | undefined): string =>
    own
      .filter(({ schema }) => value !== undefined && schema["x-when"]?.[governor.property]?.includes(value) === true)
      .map(({ property }) => property)
      .join();
  const unset: readonly (string | undefined)[] =
    governor.required || governor.schema.default !== undefined ? [] : [undefined];
  const groups = Map.groupBy([...(valuesOf(governor.schema) ?? []), ...unset], signature);
  return Array.from(groups.values(), (group): ValueClass => {
    const values = group.filter((value) => value !== undefined);
    return { governor, values, optional: group.includes(undefined) || mayBeLeftOut(governor, values) };
  });
}

const mayBeLeftOut = ({ schema }: Member, values: readonly string[]): boolean =>
  schema.default !== undefined && values.includes(String(schema.default));

function governing({ governor: { property, schema }, values, optional }: ValueClass): string {
  const types = [...(values.length === 0 ? [] : [literals(schema, values)]), ...(optional ? ["undefined"] : [])];
  return `readonly ${property}${optional ? "?" : ""}: ${types.join(" | ")}`;
}

const appliesIn = ({ schema }: Member, combination: readonly ValueClass[]): boolean =>
  combination.every(({ governor, values }) => {
    const needed = schema["x-when"]?.[governor.property];
    return needed === undefined || (values.length > 0 && values.every((value) => needed.includes(value)));
  });

const allowed = ({ type, schema }: Member) => ({ type, required: schema["x-required"] === true });

/** Where a parameter does not apply, the service takes its default. */
function excluded({ schema }: Member) {
  const { default: byDefault } = schema;
  const type = byDefault === undefined ? "undefined" : literals(schema, [String(byDefault)]);
  return { type, required: false };
}

export function commented(text: string, indent: string): string {
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ""} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}
