import type { Operation } from "../../description/description.ts";
import { type FileField, type FilesField, takesType } from "../../description/fields.ts";
import { type ChosenFile, type FormValues, initialTexts } from "../../description/form-values.ts";
import { typeOfName } from "../../description/media-types.ts";
import type { ApiResponse, Progress } from "../api/call.ts";

export type FinishedRun =
  | {
      readonly state: "done";
      readonly response: ApiResponse;
      /** The file that the result is saved as. */
      readonly name: string;
      /** The document that was sent, if it was one. */
      readonly input: ChosenFile | undefined;
    }
  | { readonly state: "failed"; readonly message: string };

export interface ActiveRun {
  readonly state: "running";
  readonly progress: Progress;
  /** Ends the request, or the watching of a job. */
  readonly stop: () => void;
  /** Cancels the run: the request, or the job. */
  readonly cancel: () => void;
}

export type Run = ActiveRun | FinishedRun;

/** A request of this session, without its body. */
export interface LoggedRequest {
  readonly time: Date;
  readonly operation: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly credits: string | undefined;
  readonly requestId: string;
}

/** State that is kept while people switch operations, as long as the page is open. */
export interface Workspace {
  /** The files that operations work on; each takes those of its types. */
  readonly documents: readonly ChosenFile[];
  /** The password of the document. */
  readonly password: string;
  /** By operation: the parameters, and the files of further fields. */
  readonly forms: Readonly<Record<string, FormValues>>;
  /** By operation. */
  readonly runs: Readonly<Record<string, FinishedRun>>;
  readonly log: readonly LoggedRequest[];
  /** By ID of a job that was started here: its document, if it was one. */
  readonly jobInputs: Readonly<Record<string, ChosenFile>>;
}

export const emptyWorkspace: Workspace = { documents: [], password: "", forms: {}, runs: {}, log: [], jobInputs: {} };

/** The field with the file that an operation works on. */
export const documentField = ({ fields }: Operation): FileField | FilesField | undefined =>
  fields.find((field) => field.kind !== "value" && Object.keys(field.when).length === 0) as
    | FileField
    | FilesField
    | undefined;

/** Reports that a field does not take a file. */
const notTaken = (file: string, { name, accept }: FileField | FilesField): string =>
  `\`${name}\` does not take ${file}. It takes ${namesOf(accept)}.`;

/** The files that a field takes of some, and why not the others. */
export function sorted(
  field: FileField | FilesField,
  files: readonly File[],
  multiple: boolean,
): { readonly taken: readonly File[]; readonly reason: string | undefined } {
  const takes = ({ name }: File): boolean => takesType(field, typeOfName(name));
  const other = files.find((file) => !takes(file));
  const all = files.filter(takes);
  const [, second] = all;
  if (multiple || second === undefined) return { taken: all, reason: other && notTaken(other.name, field) };
  return { taken: all.slice(0, 1), reason: `\`${field.name}\` takes one file. ${second.name} was not added.` };
}

/** `application/pdf,image/png` as PDF or PNG. */
const namesOf = (accept: string): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(
    accept.split(/,\s*/).map((type) => (type.split("/")[1] ?? type).toUpperCase()),
  );

const takes = (field: FileField | FilesField, file: ChosenFile): boolean => takesType(field, typeOfName(file.name));

const hasPassword = ({ fields }: Operation): boolean => fields.some(({ name }) => name === "password");

/** The form of an operation as it was left, with the files of the workspace. */
export function valuesIn({ documents, password, forms }: Workspace, operation: Operation): FormValues {
  const { texts, files } = forms[operation.name] ?? { texts: initialTexts(operation.fields), files: {} };
  const field = documentField(operation);
  return {
    texts: hasPassword(operation) && password !== "" ? { ...texts, password } : texts,
    files: field ? { ...files, [field.name]: documents.filter((file) => takes(field, file)) } : files,
  };
}

export function withValues(workspace: Workspace, operation: Operation, { texts, files }: FormValues): Workspace {
  const field = documentField(operation);
  const { password = "", ...others } = texts;
  const kept = field ? workspace.documents.filter((file) => !takes(field, file)) : workspace.documents;
  const forms = { ...workspace.forms, [operation.name]: { texts: hasPassword(operation) ? others : texts, files } };
  return {
    ...workspace,
    documents: field ? [...(files[field.name] ?? []), ...kept] : kept,
    password: hasPassword(operation) ? password : workspace.password,
    forms,
  };
}

/** Puts other files in the place of some. */
export function withFilesReplaced(workspace: Workspace, replaced: ReadonlyMap<ChosenFile, ChosenFile>): Workspace {
  const now = (file: ChosenFile): ChosenFile => replaced.get(file) ?? file;
  const formNow = ({ texts, files }: FormValues): FormValues => ({
    texts,
    files: Object.fromEntries(Object.entries(files).map(([name, some]) => [name, some.map(now)])),
  });
  return {
    ...workspace,
    documents: workspace.documents.map(now),
    forms: Object.fromEntries(Object.entries(workspace.forms).map(([name, form]) => [name, formNow(form)])),
  };
}
