/**
 * The processor of content (ISO 32000-2, 7.8.2): reads operators, keeps the parts of the graphics state that a visitor names, and calls the visitor for
 * the operators that it has methods for.
 */
import type { Work } from "../../work.ts";
import { type GraphicsState, GraphicsStates, type Group, type Lookup, type Operands } from "./graphics-state.ts";
import { FAMILIES, type Family, type Operator } from "./operator-table.ts";
import { ContentOperators } from "./operators.ts";

/** Reads operators one after the other. */
export interface Operators extends Operands {
  /** The operator in the table; `UNKNOWN` for a word that is none. */
  readonly entry: Operator;
  /** Whether so much was read that the reader should yield to other requests. */
  readonly isDue: boolean;
  next(): boolean;
}

type Visit<F, M, O extends Operators> = (run: Run<F, M, O>) => void | Promise<void>;

/**
 * The methods of a reader of content: one for each family of operators. It is called when the operator has set the state, and before text is shown.
 * `restore` and `endMark` are called for saved states and open marked content. `F`: the reader's data of a font, `M`: of marked content, `O`: how
 * operators are read.
 */
export interface Visitor<F = never, M = void, O extends Operators = ContentOperators>
  extends Lookup<F>, Partial<Record<Exclude<Family, "mark" | "endMark">, Visit<F, M, O>>> {
  /** The parts of the state that it needs. */
  readonly keeps: readonly Group[];
  /** Fuel for each operator, if bytes cost nothing. */
  readonly operatorWork?: number;
  /** Is called for every operator, instead of the other methods. No state is kept then. */
  each?: Visit<F, M, O>;
  /** Returns the value in `Run.marks` until the marked content ends. */
  mark?(run: Run<F, M, O>): M | Promise<M>;
  endMark?(mark: M): void;
  /** A `Q` that restores nothing, which readers ignore. */
  unmatched?(): void;
}

interface Step<F, M, O extends Operators> {
  readonly isKept: boolean;
  readonly visit: Visit<F, M, O> | undefined;
}

/** Reads one content. Returns its state at its end. */
export async function process<F, M>(content: Uint8Array, visitor: Visitor<F, M>, work: Work): Promise<Run<F, M>> {
  const operators = new ContentOperators(content);
  const run = new Run(visitor, operators);
  await run.read(work);
  return run;
}

/** One content, in one or more streams. */
export class Run<F = never, M = void, O extends Operators = ContentOperators> {
  readonly operators: O;
  readonly graphics: GraphicsStates<F>;
  /** The marked content that has begun, outermost first. */
  readonly marks: M[] = [];
  readonly #visitor: Visitor<F, M, O>;
  /** The methods for the families, by their places in `FAMILIES`. Undefined if there is none. */
  readonly #steps: readonly (Step<F, M, O> | undefined)[];
  #isStopped = false;

  /** `initial`: the state with which a form is drawn. */
  constructor(visitor: Visitor<F, M, O>, operators: O, initial?: Partial<GraphicsState<F>>) {
    this.#visitor = visitor;
    this.operators = operators;
    this.graphics = new GraphicsStates(visitor.keeps, visitor, initial);
    const each = visitor.each?.bind(visitor);
    this.#steps = FAMILIES.map((family) => {
      const visit = each ?? this.#visitOf(family);
      const isKept = this.graphics.concerns(family);
      return visit || isKept ? { isKept, visit } : undefined;
    });
  }

  get state(): GraphicsState<F> {
    return this.graphics.current;
  }

  /** Ends the reading after the current operator. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Reads operators to their end, or to the end of a stream.
   * @throws Refusal `limit_exceeded` if the content saves too many graphics states
   */
  async read(work: Work): Promise<void> {
    const { operators, graphics } = this;
    const steps = this.#steps;
    const { operatorWork = 0 } = this.#visitor;
    while (!this.#isStopped && operators.next()) {
      if (operatorWork > 0) work.spend(operatorWork);
      if (operators.isDue) await work.rest();
      const operator = operators.entry;
      const step = steps[operator.place];
      if (!step) continue;
      if (step.isKept) graphics.apply(operator, operators);
      const visiting = step.visit?.(this);
      if (visiting) await visiting;
    }
  }

  #visitOf(family: Family): Visit<F, M, O> | undefined {
    const visitor = this.#visitor;
    switch (family) {
      case "save":
        return () => {
          this.graphics.save();
          return visitor.save?.(this);
        };
      case "restore":
        return () => (this.graphics.restore() ? visitor.restore?.(this) : visitor.unmatched?.());
      case "mark":
        return visitor.mark && (() => this.#mark(visitor.mark?.(this) as M | Promise<M>));
      case "endMark":
        return visitor.mark && (() => this.#endMark());
      default:
        return visitor[family]?.bind(visitor);
    }
  }

  #mark(mark: M | Promise<M>): void | Promise<void> {
    if (mark instanceof Promise) return mark.then((value) => void this.marks.push(value));
    this.marks.push(mark);
  }

  #endMark(): void {
    if (this.marks.length === 0) return;
    const mark = this.marks.pop() as M;
    this.#visitor.endMark?.(mark);
  }
}
