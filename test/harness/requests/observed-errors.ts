interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>>;
}

interface Described {
  readonly paths: Readonly<
    Record<string, { readonly post?: { readonly responses: Readonly<Record<string, Response>> } }>
  >;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

/** No response carries the first; the second is of a path, not of the operation that another method of it runs. */
const OF_NO_OPERATION = ["client_closed_request", "method_not_allowed"];

/** Compares the errors that operations are logged to respond with to those that `openapi.json` has for them. */
export class ObservedErrors {
  readonly #declared: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #undeclared = new Set<string>();

  constructor({ paths, components }: Described) {
    const codesOf = ({ $ref, ...own }: Response): string[] => {
      const { content = {} } = $ref === undefined ? own : (components.responses[$ref.replace(/^.*\//, "")] ?? {});
      return Object.keys(content["application/json"]?.examples ?? {});
    };
    this.#declared = new Map(
      // Not `/keys/{id}/rotate`.
      Object.entries(paths).flatMap(([path, { post }]) => {
        const name = /^\/api\/v1\/([\w-]+)$/.exec(path)?.[1];
        return name === undefined
          ? []
          : [[name, new Set(Object.values(post?.responses ?? {}).flatMap(codesOf))] as const];
      }),
    );
  }

  /** Reads a line of the service's log. */
  look(line: string): void {
    const operation = /"operation":"([\w-]+)"/.exec(line)?.[1];
    const code = /"code":"(\w+)"/.exec(line)?.[1];
    if (operation === undefined || code === undefined || OF_NO_OPERATION.includes(code)) return;
    if (this.#declared.get(operation)?.has(code) === false) this.#undeclared.add(`${operation}: ${code}`);
  }

  /** Throws if an operation has responded with an error that its description does not have. */
  check(): void {
    if (this.#undeclared.size === 0) return;
    throw new Error(`openapi.json lacks errors that operations responded with: ${[...this.#undeclared].join(", ")}`);
  }
}
