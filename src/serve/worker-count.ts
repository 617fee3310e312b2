/** How many workers a server has, and the memory of each. */

/** Memory that a worker has by default, in MiB, and the least that it can have: less is not enough for an engine and a document. */
const USUAL = 128;
const LEAST = 64;
const MOST_WORKERS = 64;

export interface WorkerPlan {
  readonly count: number;
  /** Undefined for the default of the service. */
  readonly memoryMiB: number | undefined;
}

/**
 * `WORKERS` and `MEMORY_BUDGET_MIB` as the environment has them, and the number of cores. All workers share the budget evenly. By default there are as
 * many as cores, but no more than have the usual memory. Throws an error with a sentence for the operator.
 */
export function planWorkers(
  { WORKERS: workers, MEMORY_BUDGET_MIB: budget }: Readonly<Record<string, string | undefined>>,
  cores: number,
): WorkerPlan {
  if (workers && (!/^\d{1,2}$/.test(workers) || Number(workers) < 1 || Number(workers) > MOST_WORKERS))
    throw new Error(`WORKERS must be a number from 1 to ${MOST_WORKERS}.`);
  // The worker itself reports others.
  const total = /^\d{1,6}$/.test(budget ?? "") ? Number(budget) : undefined;
  const most = total === undefined ? MOST_WORKERS : Math.max(1, Math.floor(total / USUAL));
  const count = workers ? Number(workers) : Math.min(cores, most);
  if (total === undefined || count === 1) return { count, memoryMiB: undefined };
  const memoryMiB = Math.floor(total / count);
  if (memoryMiB < LEAST)
    throw new Error(
      `MEMORY_BUDGET_MIB is shared by all workers, so ${count} workers need at least ${LEAST * count}. Raise it, or lower WORKERS.`,
    );
  return { count, memoryMiB };
}
