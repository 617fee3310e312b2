import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { admissionOf, end, settled } from "./admissions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("slow clients", () => {
  it("a body that arrives slowly holds no place, and leaves room for a small request", async () => {
    const { admit, upload, read } = admissionOf(100, { bytes: 0 }, 1);
    const large = await upload(75);
    expect(await settled(read(4))).toBe(true);
    expect(await settled(read(2, "another"))).toBe(false);
    const small = await admit(20);
    const turn = large.admit({ bytes: 75, to: "work" });
    expect(await settled(turn)).toBe(false);
    end(small);
    expect(await settled(turn)).toBe(true);
    expect(large.state).toBe("working");
  });

  it("slow uploads hold two engines an account at most", async () => {
    const { upload } = admissionOf(1_000);
    const [first] = [await upload(20), await upload(20)];
    const third = upload(20);
    expect(await settled(third)).toBe(false);
    expect(await settled(upload(20, "another"))).toBe(true);
    await first.admit({ bytes: 20, to: "work" });
    end(first);
    expect(await settled(third)).toBe(true);
  });

  it("uploads of an account that has an engine come after those of others", async () => {
    const { ask } = admissionOf(100, { bytes: 0 }, 1);
    const work = (account: string) => ask(account, { bytes: 20, to: "work" });
    const first = await work("greedy");
    first.waitForReader();
    const second = await work("other");
    const [again, another] = [work("greedy"), work("another")];
    end(second);
    expect(await settled(another)).toBe(true);
    expect(await settled(again)).toBe(false);
  });

  it("the slowest uploads past their time lose their memory to a request that needs it, and none in vain", async () => {
    const { upload, admit } = admissionOf(100);
    const [slow, slower] = [await upload(30, "a"), await upload(30, "b")];
    slow.moved(100);
    await vi.advanceTimersByTimeAsync(20_001);
    // A fair client has ten bytes a second.
    const early = admit(60);
    expect(await settled(early)).toBe(true);
    expect([slow.lost, slower.lost]).toEqual([undefined, "slow"]);
    await vi.advanceTimersByTimeAsync(20_001);
    const tooMuch = admit(50).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5_001);
    expect(await tooMuch).toMatchObject({ code: "overloaded" });
    expect(slow.lost).toBeUndefined();
  });

  it("clients that only read a finished result hold no engine and are not interrupted", async () => {
    const { admit, admission } = admissionOf(100);
    const reader = await admit(60);
    reader.waitForReader();
    reader.drain(50);
    expect(admission.heldBytes).toBe(50);
    await vi.advanceTimersByTimeAsync(60_000);
    reader.check();
    const refused = admit(60).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5_001);
    expect(await refused).toMatchObject({ code: "overloaded" });
    reader.drain(10);
    expect(await settled(admit(60))).toBe(true);
  });

  it("a response is made ahead only while there is room for another request", async () => {
    const { admit } = admissionOf(100);
    const reader = await admit(30);
    expect(reader.grow(76, 25)).toBe(false);
    expect(reader.grow(75, 25)).toBe(true);
    expect(reader.grow(90)).toBe(true);
  });
});
