import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { admissionOf, end, settled } from "./admissions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("parked requests", () => {
  it("a parked request releases its place and its engine's memory, and returns in turn", async () => {
    const { work, admission } = admissionOf(100, { bytes: 0 }, 1);
    const parked = await work(60, "a");
    parked.park(10);
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
    parked.park(10);
    parked.leave();
    const other = await work(60, "b");
    const back = parked.admit({ bytes: 70, to: "work" });
    expect(await settled(back)).toBe(false);
    expect(parked.state).toBe("outside");
    end(other);
    expect(await settled(back)).toBe(true);
    parked.resume(50);
    expect([parked.hasEngine, parked.isParked, parked.bytes]).toEqual([true, false, 60]);
    expect(await settled(read(10))).toBe(true);
    expect(admission.heldBytes).toBe(70);
  });

  it("an account parks two requests at most, and all parked requests leave room for a small one", async () => {
    const { work } = admissionOf(100);
    const first = await work(20, "a");
    const second = await work(20, "a");
    const third = await work(20, "a");
    first.park(5);
    second.park(5);
    expect(() => third.park(5)).toThrow(expect.objectContaining({ code: "overloaded" }));
    end(third);
    const other = await work(30, "b");
    other.park(65);
    const last = await work(20, "c");
    expect(() => last.park(1)).toThrow(expect.objectContaining({ code: "overloaded" }));
    end(other);
    last.park(1);
  });

  it("a parked request frees everything when it ends, and when its client has been gone for long", async () => {
    const leaving = new AbortController();
    const { ask, work, admission } = admissionOf(100);
    const ended = await work(20, "a");
    ended.park(5);
    ended.leave();
    end(ended);
    const gone = await ask("b", { bytes: 90, to: "work" }, leaving.signal);
    gone.park(70);
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
    parked.park(5);
    parked.leave();
    await work(20, "b");
    const back = parked.orEnd(() => parked.admit({ bytes: 5, to: "work" })).catch(() => "swallowed");
    await vi.advanceTimersByTimeAsync(5_001);
    expect(await back).toBe("swallowed");
    expect(() => parked.check()).toThrow(expect.objectContaining({ code: "overloaded" }));
  });
});
