/** A parameter of an operation, as the service names it. */
export interface Parameter {
  /** The form field, such as `chunkSize`; `file{N}` for a list. */
  readonly field: string;
  readonly kind: "file" | "text" | "boolean" | "json";
  readonly isList: boolean;
  readonly isPassword: boolean;
  readonly required: boolean;
  /** Of a list: how many it has at least. */
  readonly least?: number;
  readonly description: string;
  /** All values that it can have, if they are few. */
  readonly values?: readonly string[];
}

/** An operation, as the command line knows it. */
export interface Command {
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Whether it works page by page as a job. */
  readonly isPageByPage: boolean;
  /** Whether it can be a further step of a pipeline. */
  readonly takesPdf: boolean;
  /** Parameters of which at least one is required. */
  readonly atLeastOneOf: readonly string[];
  /** A working request. Files are named as in `examples/`. */
  readonly example: Readonly<Record<string, string>>;
  readonly parameters: readonly Parameter[];
}
