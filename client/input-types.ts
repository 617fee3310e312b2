/** The types of the operations' inputs: a union where a parameter only applies with some values of another. */
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

/** A parameter in one alternative of a union. Parameters that do not apply are absent. */
export interface Choice {
  readonly member: Member;
  readonly required: boolean;
  /** Of its values, those that it can have here. */
  readonly values?: readonly string[];
}

type Alternative = readonly (Choice | Excluded)[];

interface Excluded {
  readonly member: Member;
  readonly excluded: true;
}

/** Parameters that always apply alike, and groups of alternatives for the others, each independent of the rest. */
interface InputShape {
  readonly common: readonly Member[];
  readonly groups: readonly (readonly Alternative[])[];
}

function shapeOf(all: readonly Member[], form: Schema): InputShape {
  const dependences = dependencesOf(all);
  const dependent = new Set(dependences.flatMap(({ governors, governed }) => [...governors, ...governed]));
  const names = (form.anyOf ?? []).flatMap(({ required = [] }) => required);
  const isOneOf = all.filter(({ property }) => names.includes(property));
  const isExclusive = form["x-exactly-one"] === true;
  const common = all.filter((member) => !dependent.has(member) && !(isExclusive && isOneOf.includes(member)));
  const groups = dependences.map(alternativesOf);
  if (isOneOf.length > 0) groups.push(isOneOf.map((one) => given(one, isExclusive ? isOneOf : [])));
  return { common, groups };
}

/** The alternative in which a parameter is given, and others are not. */
function given(one: Member, all: readonly Member[]): Alternative {
  const values = one.schema.type === "boolean" ? { values: ["true"] } : {};
  const others = all.filter((other) => other !== one).map((member): Excluded => ({ member, excluded: true }));
  return [{ member: one, required: true, ...values }, ...others];
}

export function inputType(name: string, all: readonly Member[], form: Schema): string {
  const { common, groups } = shapeOf(all, form);
  const own = `{\n${common.map((member) => property(member, member)).join("")}}`;
  if (groups.length === 0) return `export interface ${name} ${own}\n`;
  const unions = groups.map((alternatives) =>
    union(alternatives.map((alternative) => `{\n${alternative.map(line).join("")}  }`)),
  );
  return `export type ${name} = ${[own, ...unions].join(" & ")};\n`;
}

/** All ways to call an operation, each with the parameters that apply. None is a special case of another. */
export function waysOf(all: readonly Member[], form: Schema): readonly (readonly Choice[])[] {
  const { common, groups } = shapeOf(all, form);
  let ways: readonly Alternative[] = [common.map((member) => ({ member, required: member.required }))];
  for (const alternatives of groups) {
    ways = ways.flatMap((way) => alternatives.flatMap((alternative) => both(way, alternative) ?? []));
  }
  const applicable = ways.map((way) => way.filter((choice): choice is Choice => !("excluded" in choice)));
  return applicable.filter(
    (way, index) =>
      !applicable.some((other, at) => at !== index && includes(other, way) && (at < index || !includes(way, other))),
  );
}

/** What two alternatives allow together; undefined if one excludes what the other requires. */
function both(one: Alternative, other: Alternative): [Alternative] | undefined {
  const members = new Set([...one, ...other].map(({ member }) => member));
  const choices = Array.from(members, (member): Choice | Excluded | undefined => {
    const [first, second] = [one, other].map((choices) => choices.find((choice) => choice.member === member));
    if (!first || !second) return first ?? second;
    if ("excluded" in first || "excluded" in second) {
      const isRequired = [first, second].some((choice) => !("excluded" in choice) && choice.required);
      return isRequired ? undefined : { member, excluded: true };
    }
    const values = first.values?.filter((value) => second.values?.includes(value) !== false) ?? second.values;
    const required = first.required || second.required;
    return values?.length === 0 ? undefined : { member, required, ...(values ? { values } : {}) };
  });
  const possible = choices.filter((choice) => choice !== undefined);
  return possible.length === choices.length ? [possible] : undefined;
}

/** Whether whatever can be called in the second way can be called in the first. */
function includes(general: readonly Choice[], special: readonly Choice[]): boolean {
  return (
    special.every(({ member, values }) => {
      const choice = general.find((other) => other.member === member);
      return (
        choice && (choice.values === undefined || values?.every((value) => choice.values?.includes(value)) === true)
      );
    }) &&
    general.every(
      ({ member, required }) => !required || special.some((other) => other.member === member && other.required),
    )
  );
}

function line(choice: Choice | Excluded): string {
  const { member } = choice;
  if ("excluded" in choice) return property(member, excluded(member));
  const { values, required } = choice;
  return property(member, { type: values === undefined ? member.type : literals(member.schema, values), required });
}

/** The values of parameters with which a response is of some type, and those with which it is not. */
export function narrowed(all: readonly Member[], when: When): { readonly with: string; readonly without: string } {
  const [[name, values] = ["", []], another] = Object.entries(when);
  const governor = all.find(({ property }) => property === name);
  const possible = governor && valuesOf(governor.schema);
  if (governor === undefined || possible === undefined || another !== undefined) {
    throw new Error(`the type of a response depends on ${JSON.stringify(when)}`);
  }
  const written = (own: readonly string[]): string => {
    const optional = mayBeLeftOut(governor, own);
    const types = [literals(governor.schema, own), ...(optional ? ["undefined"] : [])];
    return `{ readonly ${name}${optional ? "?" : ""}: ${types.join(" | ")} }`;
  };
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

function alternativesOf({ governors, governed }: Dependence): Alternative[] {
  let combinations: (readonly ValueClass[])[] = [[]];
  for (const governor of governors) {
    const classes = classesOf(governor, governed);
    combinations = combinations.flatMap((before) => classes.map((one) => [...before, one]));
  }
  // A governor can depend on another one.
  const possible = combinations.filter((all) => all.every((one) => one.optional || appliesIn(one.governor, all)));
  return possible.map((combination) => {
    const choice = (member: Member): Choice | Excluded => {
      const own = combination.find(({ governor }) => governor === member);
      if (!appliesIn(member, combination) || own?.values.length === 0) return { member, excluded: true };
      return own
        ? { member, required: !own.optional, values: own.values }
        : { member, required: member.schema["x-required"] === true };
    };
    return [...governors, ...governed.filter((member) => !governors.includes(member))].map(choice);
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

const appliesIn = ({ schema }: Member, combination: readonly ValueClass[]): boolean =>
  combination.every(({ governor, values }) => {
    const needed = schema["x-when"]?.[governor.property];
    return needed === undefined || (values.length > 0 && values.every((value) => needed.includes(value)));
  });

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
