import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { admissionOf, end, settled } from "./admissions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("queue", () => {
  it("requests that fit are admitted, and the rest in order of arrival", async () => {
    const admission = admissionOf(100);
    const first = await admission.admit(60);
    const large = admission.admit(80);
    const small = admission.admit(10);
    expect(await settled(large)).toBe(false);
    // It would fit, but it must not pass the one before it for ever.
    expect(await settled(small)).toBe(false);
    end(first);
    expect(await settled(large)).toBe(true);
    expect(await settled(small)).toBe(true);
    expect(admission.heldBytes).toBe(90);
  });

  it("a waiting large body delays no small one", async () => {
    const { upload, read, admit } = admissionOf(100);
    const first = await admit(60);
    const large = upload(60);
    const file = read(40);
    expect([await settled(large), await settled(file)]).toEqual([false, false]);
    expect(await settled(read(5))).toBe(true);
    // The larger ones go in order of arrival.
    end(first);
    expect([await settled(large), await settled(file)]).toEqual([true, false]);
  });

  it("others pass the part of a job that does not fit yet", async () => {
    const { ask, admit } = admissionOf(100);
    const first = await admit(60);
    const part = ask("acct", { bytes: 80, to: "work", yieldsToSmaller: true });
    const second = await admit(30);
    end(first);
    expect(await settled(part)).toBe(false);
    const large = admit(90);
    end(second);
    expect(await settled(part)).toBe(true);
    expect(await settled(large)).toBe(false);
  });

  it("a wait ends with 503 and Retry-After, and then admits those behind it first", async () => {
    const admission = admissionOf(100);
    await admission.admit(60);
    const large = admission.admit(80);
    const refused = large.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(3_000);
    const small = admission.admit(10);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await refused).toMatchObject({ code: "overloaded", headers: { "Retry-After": "5" } });
    expect(await settled(small)).toBe(true);
    expect(admission.heldBytes).toBe(70);
  });

  it("a request larger than the budget gets all of it", async () => {
    const admission = admissionOf(100);
    const alone = await admission.admit(500);
    expect(admission.heldBytes).toBe(100);
    const next = admission.admit(1);
    expect(await settled(next)).toBe(false);
    end(alone);
    // Its owner ends a request once.
    expect(() => end(alone)).toThrow("cannot go from ended to ended");
    expect(await settled(next)).toBe(true);
    expect(admission.heldBytes).toBe(1);
  });

  it("only a limited number of requests is admitted at once, however small", async () => {
    const admission = admissionOf(100, { bytes: 0 }, 2);
    const first = await admission.admit(1);
    await admission.admit(1);
    const third = admission.admit(1);
    expect(await settled(third)).toBe(false);
    end(first);
    expect(await settled(third)).toBe(true);
  });

  it("one light request works beside others that are not, and waits for none of them", async () => {
    const { admit, ask } = admissionOf(100, { bytes: 0 }, 2);
    const light = (account: string) => ask(account, { bytes: 10, to: "work", isLight: true });
    const first = await admit(40);
    // It does not fit, and whoever comes after it and is not light waits for it.
    const second = admit(70);
    const third = admit(10);
    expect([await settled(second), await settled(third)]).toEqual([false, false]);
    const small = await light("a");
    const next = light("b");
    expect(await settled(next)).toBe(false);
    end(small);
    expect([await settled(next), await settled(second)]).toEqual([true, false]);
    end(first);
    expect([await settled(second), await settled(third)]).toEqual([true, false]);
    // Two are at work, and one of them is light already.
    expect(await settled(light("c"))).toBe(false);
    end(await next);
    expect(await settled(third)).toBe(true);
  });

  it("a light request has its place only where its memory is free", async () => {
    const { admit, ask } = admissionOf(100, { bytes: 0 }, 2);
    const first = await admit(50);
    await admit(45);
    const light = ask("a", { bytes: 10, to: "work", isLight: true });
    expect(await settled(light)).toBe(false);
    end(first);
    expect(await settled(light)).toBe(true);
  });

  it("an account with much uncharged work comes after all others for a minute", async () => {
    vi.setSystemTime(60_000);
    const { admission, admit, work } = admissionOf(100);
    admission.countUncharged("greedy", 900);
    const first = await admit(60);
    const early = work(60, "greedy");
    // Not yet: the order of arrival.
    const late = admit(60);
    end(first);
    expect([await settled(early), await settled(late)]).toEqual([true, false]);
    admission.countUncharged("greedy", 200);
    const again = work(60, "greedy");
    const others = [admit(60), admit(60)] as const;
    end(await early);
    end(await late);
    for (const other of others) {
      expect([await settled(other), await settled(again)]).toEqual([true, false]);
      end(await other);
    }
    expect(await settled(again)).toBe(true);
  });

  it("a place is kept free for others while such an account works", async () => {
    vi.setSystemTime(60_000);
    const { admission, admit, work } = admissionOf(100, { bytes: 0 }, 2);
    admission.countUncharged("greedy", 2_000);
    const first = await work(20, "greedy");
    const second = work(20, "greedy");
    expect(await settled(second)).toBe(false);
    const other = admit(20);
    expect(await settled(other)).toBe(true);
    end(await other);
    expect(await settled(second)).toBe(false);
    end(first);
    expect(await settled(second)).toBe(true);
    // The next minute begins anew.
    vi.setSystemTime(120_000);
    expect(await settled(work(20, "greedy"))).toBe(true);
  });

  it("models are evicted before engines", async () => {
    const kept = { bytes: 50, models: 20 };
    const admission = admissionOf(100, kept);
    await admission.admit(60);
    const second = admission.admit(30);
    expect(await settled(second)).toBe(false);
    await vi.advanceTimersByTimeAsync(250);
    expect(await settled(second)).toBe(true);
    expect(kept.bytes).toBe(30);
  });

  it("memory kept between requests counts where a newcomer would not take it over", async () => {
    const kept = { bytes: 50 };
    const admission = admissionOf(100, kept);
    const first = await admission.admit(60);
    const second = admission.admit(20);
    expect(await settled(second)).toBe(false);
    kept.bytes = 20;
    end(first);
    expect(await settled(second)).toBe(true);
    expect(await settled(admission.admit(80))).toBe(true);
  });
});

describe("growth", () => {
  it("growth is granted, refused for good, or refused because others hold the memory", async () => {
    const admission = admissionOf(100);
    const first = await admission.admit(30);
    expect(first.grow(20)).toBe(true);
    expect(admission.heldBytes).toBe(30);
    const second = await admission.admit(30);
    expect(first.grow(70)).toBe(true);
    expect(admission.heldBytes).toBe(100);
    expect(first.grow(80)).toBe("busy");
    expect(first.grow(101)).toBe(false);
    end(second);
    expect(first.grow(80)).toBe(true);
    end(first);
    expect(admission.heldBytes).toBe(0);
  });

  it("growth evicts kept memory, and accounts for what cannot be evicted", async () => {
    const kept = { bytes: 60 };
    const admission = admissionOf(100, kept);
    const only = await admission.admit(30);
    expect(only.grow(40)).toBe(true);
    expect(kept.bytes).toBe(60);
    expect(only.grow(90)).toBe(true);
    expect(kept.bytes).toBe(10);
    expect(only.grow(91)).toBe(false);
  });
});

describe("abandoned requests", () => {
  it("a request that was silent for too long loses its memory to the next one", async () => {
    const admission = admissionOf(100, { bytes: 0 }, 1);
    const silent = await admission.admit(60);
    const alive = vi.fn<() => void>();
    silent.whenLost(alive);
    await vi.advanceTimersByTimeAsync(50_000);
    silent.check();
    await vi.advanceTimersByTimeAsync(50_000);
    const early = admission.admit(60).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await early).toMatchObject({ code: "overloaded" });
    expect(silent.lost).toBeUndefined();
    await vi.advanceTimersByTimeAsync(5_001);
    // Nobody needed the room until now.
    expect(silent.lost).toBeUndefined();
    await admission.admit(70);
    expect(alive).toHaveBeenCalledOnce();
    expect(silent.lost).toBe("silent");
    // A late hand changes nothing any more.
    expect(silent.grow(10)).toBe(false);
    end(silent);
    expect(admission.heldBytes).toBe(70);
  });

  it("a request has two seconds to release its memory after its client has gone", async () => {
    const admission = admissionOf(100, { bytes: 0 }, 1);
    const left = await admission.admit(60);
    left.expire();
    left.check();
    const next = admission.admit(60);
    await vi.advanceTimersByTimeAsync(1_900);
    expect(await settled(next)).toBe(false);
    await vi.advanceTimersByTimeAsync(400);
    expect(await settled(next)).toBe(true);
    expect(left.lost).toBe("silent");
  });

  it("a waiting request leaves the queue with its client, and delays nobody behind it", async () => {
    const admission = admissionOf(100, { bytes: 0 }, 2);
    await admission.admit(60);
    const leaving = new AbortController();
    const large = admission.admit(80, leaving.signal).catch((error: unknown) => error);
    const small = admission.admit(10);
    expect(await settled(small)).toBe(false);
    leaving.abort();
    expect(await settled(small)).toBe(true);
    expect(await large).toMatchObject({ code: "client_closed_request" });
  });
});
