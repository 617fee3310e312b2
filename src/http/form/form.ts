import { isFileName, tooManyFiles } from "./form-reader.ts";
import { type FormChecks, OperationForm, type ReadForm } from "./operation-form.ts";
import { readSteps } from "./steps.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { FormPart } from "../multipart/multipart.ts";
import type { EngineBytes } from "../../engines/bytes/heap.ts";
import { limits } from "../../limits.ts";
import type { Operation } from "../../operations/definition/define.ts";
import type { Fields } from "../../operations/definition/fields.ts";

/** The names of files that a form accepts, known before its body is read. */
export class FormNames {
  /** Maximum number of files in the form. */
  readonly maxFiles: number;
  readonly #isFileName: (name: string) => boolean;
  readonly #files = new Set<string>();

  constructor({ fields, steps }: Pick<Operation, "fields" | "steps">) {
    // The files of a pipeline have the names that its steps give them.
    this.#isFileName = steps ? () => true : (name) => isFileName(fields, name);
    this.maxFiles = steps
      ? limits.files + limits.steps
      : Object.values(fields).reduce(
          (sum, field) => sum + (field.kind === "file" ? 1 : field.kind === "files" ? field.max : 0),
          0,
        );
  }

  /**
   * Whether a file with this name belongs to the form: the name is known and not yet used. Throws `limit_exceeded` at the first
   * file too many, before the rest is uploaded.
   */
  wantsFile(name: string): boolean {
    if (this.#files.has(name) || !this.#isFileName(name)) return false;
    this.#files.add(name);
    if (this.#files.size > this.maxFiles) throw tooManyFiles(this.maxFiles, this.#files.size);
    return true;
  }
}

/**
 * Turns a form into an operation's input. All problems with parameters are thrown at once (`invalid_parameters`), including
 * those that depend on the document's page count. If page ranges are the only problem, the form passes: `run` rejects them and
 * reports the page count.
 */
export async function readForm<F extends Fields>(
  operation: Operation<F>,
  parts: readonly FormPart<EngineBytes>[],
  checks: FormChecks,
): Promise<ReadForm<F>> {
  if (operation.steps) return readSteps(operation, operation.steps, parts, checks);
  const form = new OperationForm(
    operation,
    parts.map((part) => [part.field, part]),
    checks,
  );
  const issues = [...form.issues, ...(checks.issues ?? [])];
  if (issues.length > 0) throw invalidFields([...issues, ...(await form.pageIssues(checks.countPages))]);
  return {
    operation: form.operation,
    files: form.reader.files,
    inputWith(loaded) {
      form.checkKinds(loaded);
      return form.values.inputWith(loaded);
    },
  };
}
