import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { admissionOf, end, settled } from "./admissions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("parked requests", () => {
  it("a parked request releases its place and its engine's memory, and returns in turn", async () => {
    const { work, admission } = admissionOf(100, { bytes: 0 }, 1);
    const parked = await work(60, "a");
    parked.park(10, "services");
    expect([admission.heldBytes, parked.state, parked.hasEngine]).toEqual([10, "working", false]);
    const next = work(60, "b");
    expect(await settled(next)).toBe(false);
    parked.leave();
    expect(await settled(next)).toBe(true);
    const back = parked.admit({ bytes: parked.bytes, to: "work" });
    expect(await settled(back)).toBe(false);
    expect(parked.state).toBe("outside");
    end(await next);
    expect(await settled(back)).toBe(true);
    expect([parked.state, parked.hasEngine, admission.heldBytes]).toEqual(["working", false, 10]);
  });

  it("a parked request gets an engine once there is memory, and needs no place until then", async () => {
    const { work, read, admission } = admissionOf(100);
    const parked = await work(60, "a");
    parked.park(10, "services");
    parked.leave();
    const other = await work(60, "b");
    const back = parked.admit({ bytes: 70, to: "work" });
    expect(await settled(back)).toBe(false);
    expect(parked.state).toBe("outside");
    end(other);
    expect(await settled(back)).toBe(true);
    parked.resume(50);
    expect([parked.hasEngine, parked.parkedFor, parked.bytes]).toEqual([true, undefined, 60]);
    expect(await settled(read(10))).toBe(true);
    expect(admission.heldBytes).toBe(70);
  });

  it("an account parks two requests at most, and all parked requests leave room for a small one", async () => {
    const { work } = admissionOf(100);
    const first = await work(20, "a");
    const second = await work(20, "a");
    const third = await work(20, "a");
    first.park(5, "services");
    second.park(5, "services");
    expect(() => third.park(5, "services")).toThrow(expect.objectContaining({ code: "overloaded" }));
    end(third);
    const other = await work(30, "b");
    other.park(65, "services");
    const last = await work(20, "c");
    expect(() => last.park(1, "services")).toThrow(expect.objectContaining({ code: "overloaded" }));
    end(other);
    last.park(1, "services");
  });

  it("a parked request frees everything when it ends, and when its client has been gone for long", async () => {
    const leaving = new AbortController();
    const { ask, work, admission } = admissionOf(100);
    const ended = await work(20, "a");
    ended.park(5, "services");
    ended.leave();
    end(ended);
    const gone = await ask("b", { bytes: 90, to: "work" }, leaving.signal);
    gone.park(70, "services");
    gone.leave();
    leaving.abort();
    expect(() => gone.leave()).toThrow(expect.objectContaining({ code: "client_closed_request" }));
    await vi.advanceTimersByTimeAsync(2_001);
    expect(await settled(work(90, "c"))).toBe(true);
    expect([gone.lost, admission.heldBytes]).toEqual(["silent", 90]);
  });

  it("a parked request stops if it cannot continue, even if the error is caught", async () => {
    const { work } = admissionOf(100, { bytes: 0 }, 1);
    const parked = await work(20, "a");
    parked.park(5, "services");
    parked.leave();
    await work(20, "b");
    const back = parked.orEnd(() => parked.admit({ bytes: 5, to: "work" })).catch(() => "swallowed");
    await vi.advanceTimersByTimeAsync(5_001);
    expect(await back).toBe("swallowed");
    expect(() => parked.check()).toThrow(expect.objectContaining({ code: "overloaded" }));
  });
});

describe("printed requests", () => {
  /** A request that waits for the browser, and then is printed. */
  const printing = async ({ work }: ReturnType<typeof admissionOf>, account: string) => {
    const memory = await work(20, account);
    memory.park(2, "browser");
    memory.leave();
    return { memory, printed: memory.admit({ to: "print", bytes: memory.bytes }) };
  };

  it("two are printed at once, and the others in order of arrival, those of accounts that print none first", async () => {
    const admission = admissionOf(100);
    const [first, second, third] = [
      await printing(admission, "a"),
      await printing(admission, "a"),
      await printing(admission, "a"),
    ];
    const other = await printing(admission, "b");
    const states = async () => Promise.all([second, third, other].map(({ printed }) => settled(printed)));
    expect([await settled(first.printed), ...(await states())]).toEqual([true, true, false, false]);
    first.memory.printed();
    expect(await states()).toEqual([true, false, true]);
    other.memory.printed();
    expect(await states()).toEqual([true, true, true]);
  });

  it("a request that waits for the browser leaves the place for work and its engine's memory to others", async () => {
    const admission = admissionOf(100, { bytes: 0 }, 1);
    for (let count = 0; count < 4; count += 1) void printing(admission, "a");
    expect(await settled(admission.work(80, "a"))).toBe(true);
    expect(admission.heldBytes).toBe(88);
  });

  it("a printed request that waits for its engine does not keep the browser from the next", async () => {
    const admission = admissionOf(100, { bytes: 0 }, 1);
    const all = [await printing(admission, "a"), await printing(admission, "a"), await printing(admission, "a")];
    await admission.work(10, "b");
    const [first, , last] = all;
    first?.memory.printed();
    const back = first?.memory.admit({ to: "work", bytes: 2 }) ?? Promise.resolve();
    expect([await settled(back), await settled(last?.printed ?? Promise.resolve())]).toEqual([false, true]);
  });

  it("the browser is free when a request ends without a word", async () => {
    const leaving = new AbortController();
    const admission = admissionOf(100);
    const gone = await admission.ask("a", { bytes: 20, to: "work" }, leaving.signal);
    gone.park(2, "browser");
    gone.leave();
    await gone.admit({ to: "print", bytes: 2 });
    const second = await printing(admission, "a");
    await second.printed;
    const third = await printing(admission, "a");
    leaving.abort();
    expect(await settled(third.printed)).toBe(false);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await settled(third.printed)).toBe(true);
    expect(gone.lost).toBe("silent");
  });

  it("a wait for the browser ends with 503 and Retry-After, and names it", async () => {
    const admission = admissionOf(100);
    await printing(admission, "a");
    await printing(admission, "a");
    const { printed } = await printing(admission, "a");
    const refused = printed.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await refused).toMatchObject({
      code: "overloaded",
      message: "The browser is busy with other documents. Retry in a few seconds.",
      headers: { "Retry-After": "5" },
    });
  });

  it("more requests of an account may wait for the browser than for services, up to their own limit", async () => {
    const { work } = admissionOf(200);
    const park = async (outside: "browser" | "services") => (await work(20, "a")).park(2, outside);
    for (let count = 0; count < 4; count += 1) await park("browser");
    await expect(park("browser")).rejects.toMatchObject({ code: "overloaded" });
    await park("services");
    await park("services");
    await expect(park("services")).rejects.toMatchObject({ code: "overloaded" });
  });
});
