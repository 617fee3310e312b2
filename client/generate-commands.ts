/** What the command line knows about the operations, from openapi.json. */
import { formRoutesOf, type Member, type OpenApi, valuesOf } from "./description.ts";

export function generateCommands(document: OpenApi): string {
  const commands = formRoutesOf(document)
    .filter(({ isPipeline }) => !isPipeline)
    .map(({ name, path, method, form, members, example, isPageByPage }) => ({
      name,
      path,
      summary: method.summary,
      description: method.description ?? "",
      isPageByPage,
      takesPdf: Object.hasOwn(form.properties ?? {}, "password"),
      atLeastOneOf: (form.anyOf ?? []).flatMap(({ required = [] }) => required),
      example: example ?? {},
      parameters: members.map((member) => parameter(member, form.required ?? [])),
    }));
  return `import type { Command } from "./cli/command.ts";

/** The operations. */
export const commands: readonly Command[] = ${JSON.stringify(commands, undefined, 2)};
`;
}

function parameter(
  { field, kind, isList, schema, required, description = "" }: Member,
  requiredFields: readonly string[],
) {
  const numbered = new RegExp(`^${field.replace("{N}", "\\d+")}$`);
  const least = requiredFields.filter((name) => numbered.test(name)).length;
  const values = kind === "text" ? valuesOf(schema) : undefined;
  return {
    field,
    kind: kind === "text" && schema.type === "boolean" ? "boolean" : kind,
    isList,
    isPassword: schema.format === "password",
    required,
    ...(isList && least > 0 && { least }),
    description,
    ...(values !== undefined && schema.type !== "boolean" && { values }),
  };
}
