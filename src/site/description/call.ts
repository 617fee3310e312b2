import type { Field } from "./fields.ts";
import type { Entry } from "./form-values.ts";

/** A request as a method of the client. */
export interface ClientCall {
  readonly method: string;
  /** The values in its path. */
  readonly ids: readonly string[];
  /** Of a form. */
  readonly fields?: readonly Field[];
}

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly client: ClientCall;
  /** The key itself, or the environment variable that contains it; undefined if none is needed. */
  readonly key: string | { readonly variable: string } | undefined;
  /** A form's parts, a value sent as JSON, a file whose bytes are the body, or nothing. */
  readonly body:
    | { readonly form: readonly Entry[] }
    | { readonly json: unknown }
    | { readonly path: string }
    | undefined;
  /** The file that receives the result. Undefined for JSON, which is printed. */
  readonly file: string | undefined;
}
