import type { Description, Header, Method, Reference, Response } from "../description/description.ts";
import type { Schema } from "../description/schema.ts";
import { resolve } from "./resolve.ts";

/** What many methods have in common, described once. */
export interface SharedFacts {
  /** The headers of most responses of operations. */
  readonly headers: ReadonlyMap<string, Header | Reference>;
  /** The errors that all operations can respond with, and those of all other methods that need a key. */
  readonly errors: { readonly operations: ReadonlySet<string>; readonly endpoints: ReadonlySet<string> };
  /** The objects of several responses, by their names. */
  readonly objects: ReadonlyMap<string, Schema>;
}

const SCHEMAS = "#/components/schemas/";

const isForm = ({ requestBody }: Method): boolean => requestBody?.content["multipart/form-data"] !== undefined;

/** An operation takes a form and returns its result; an upload (201) does not. */
export const isOperation = (method: Method): boolean => isForm(method) && method.responses["200"] !== undefined;

export function sharedFacts(description: Description, methods: readonly Method[]): SharedFacts {
  const operations = methods.filter(isOperation);
  const endpoints = methods.filter((method) => !isOperation(method) && method.security?.length !== 0);
  return {
    headers: commonHeaders(description, operations),
    errors: { operations: commonErrors(description, operations), endpoints: commonErrors(description, endpoints) },
    objects: commonObjects(description, methods),
  };
}

export const codesOf = ({ content = {} }: Response): string[] =>
  Object.keys(content["application/json"]?.examples ?? {});

function commonErrors(description: Description, methods: readonly Method[]): Set<string> {
  const sets = methods.map(
    ({ responses }) => new Set(Object.values(responses).flatMap((given) => codesOf(resolve(description, given)))),
  );
  return sets.reduce((common, one) => new Set([...common].filter((code) => one.has(code))), sets[0] ?? new Set());
}

function commonHeaders(description: Description, methods: readonly Method[]): Map<string, Header | Reference> {
  const carried = methods.flatMap(({ responses }) => {
    const given = responses["200"];
    return given === undefined ? [] : Object.entries(resolve(description, given).headers ?? {});
  });
  const count = (name: string): number => carried.filter(([other]) => other === name).length;
  return new Map(carried.filter(([name]) => count(name) > methods.length / 2));
}

function commonObjects(description: Description, methods: readonly Method[]): Map<string, Schema> {
  const named = methods.flatMap(({ responses }) => {
    const names = Object.entries(responses)
      .filter(([status]) => status.startsWith("2"))
      .flatMap(([, given]) => objectsOf(resolve(description, given).content?.["application/json"]?.schema));
    return [...new Set(names)];
  });
  const often = new Set(named.filter((name, index) => named.indexOf(name) !== index));
  return new Map([...often].map((name) => [name, description.components.schemas[name] ?? {}]));
}

/** The name of the described object that a schema is a reference to. */
export const objectName = ({ $ref }: Schema): string | undefined =>
  $ref?.startsWith(SCHEMAS) === true ? $ref.slice(SCHEMAS.length) : undefined;

/** The object that a response is, or that its list has. */
function objectsOf(schema: Schema | undefined): string[] {
  if (schema === undefined) return [];
  const inner = [schema, ...Object.values(schema.properties ?? {}).flatMap(({ items = {} }) => items)];
  return inner.flatMap((one) => objectName(one) ?? []);
}

/** The anchor of an object; those of methods begin with a small letter, and those of events have dots. */
export const objectAnchor = (name: string): string => `object-${name}`;
