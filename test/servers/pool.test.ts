/** The choice of a worker, and how many there are. */
import { describe, expect, test } from "vitest";
import { newWorker, Pool, type Worker } from "../../src/serve/pool.ts";
import { planWorkers } from "../../src/serve/worker-count.ts";

const workerOf = (name: string, facts: Partial<Worker> = {}): Worker => ({
  ...newWorker(name),
  url: new URL("http://127.0.0.1:1"),
  ...facts,
});
const namesOf = (pool: Pool, times: number) => Array.from({ length: times }, () => pool.pick()?.name);

describe("the pool", () => {
  test("workers with the same work are chosen in turn", () => {
    const pool = new Pool(["a", "b", "c"].map((name) => workerOf(name)));
    expect(namesOf(pool, 4)).toEqual(["a", "b", "c", "a"]);
  });

  test("the worker with the least work is chosen, whoever's turn it is", () => {
    const pool = new Pool([workerOf("a", { atWork: 2 }), workerOf("b", { atWork: 1 }), workerOf("c", { atWork: 2 })]);
    expect(namesOf(pool, 3)).toEqual(["b", "b", "b"]);
  });

  test("a worker that is late is chosen only if all are", () => {
    const [late, busy] = [workerOf("late", { isLate: true }), workerOf("busy", { atWork: 9 })];
    expect(namesOf(new Pool([late, busy]), 2)).toEqual(["busy", "busy"]);
    expect(namesOf(new Pool([late]), 1)).toEqual(["late"]);
  });

  test("no worker is chosen that does not listen, is not suitable, or has no storage", () => {
    const pool = new Pool([workerOf("away", { url: undefined }), workerOf("b"), workerOf("c")]);
    expect(pool.pick(({ name }) => name === "away")).toBeUndefined();
    expect(pool.pick(({ name }) => name === "c")?.name).toBe("c");
    expect(pool.states()).toEqual(["starting", "ready", "ready"]);
    pool.isOpen = false;
    expect(pool.pick()).toBeUndefined();
    expect(pool.states()).toEqual(["starting", "starting", "starting"]);
  });
});

describe("the number of workers", () => {
  test.each([
    ["as many as cores by default, each with the usual memory", {}, 4, { count: 4, memoryMiB: undefined }],
    ["as many as WORKERS, whatever the cores", { WORKERS: "3" }, 1, { count: 3, memoryMiB: undefined }],
    ["as many as there are 128 MiB in the budget", { MEMORY_BUDGET_MIB: "300" }, 8, { count: 2, memoryMiB: 150 }],
    ["one worker with all of a small budget", { MEMORY_BUDGET_MIB: "128" }, 8, { count: 1, memoryMiB: undefined }],
    [
      "as many as WORKERS, which share the budget",
      { WORKERS: "4", MEMORY_BUDGET_MIB: "256" },
      2,
      { count: 4, memoryMiB: 64 },
    ],
    [
      "as many as cores for empty variables",
      { WORKERS: "", MEMORY_BUDGET_MIB: "" },
      2,
      { count: 2, memoryMiB: undefined },
    ],
  ])("the server has %s", (_, variables, cores, plan) => {
    expect(planWorkers(variables, cores)).toEqual(plan);
  });

  test.each([
    [{ WORKERS: "0" }, "WORKERS must be a number from 1 to 64."],
    [{ WORKERS: "65" }, "WORKERS must be a number from 1 to 64."],
    [{ WORKERS: "all" }, "WORKERS must be a number from 1 to 64."],
    [
      { WORKERS: "3", MEMORY_BUDGET_MIB: "128" },
      "MEMORY_BUDGET_MIB is shared by all workers, so 3 workers need at least 192. Raise it, or lower WORKERS.",
    ],
  ])("the server refuses to start with %o", (variables, message) => {
    expect(() => planWorkers(variables, 2)).toThrow(message);
  });
});
