import { API_KEY_CALLS_PER_MINUTE } from "@shared/contract/api-keys.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { KeyCallQueue } from "./key-call-queue.ts";

describe("calls with API keys", () => {
  let queue: KeyCallQueue;
  let started: string[];
  let endOf: Map<string, () => void>;
  beforeEach(() => {
    vi.useFakeTimers();
    queue = new KeyCallQueue();
    started = [];
    endOf = new Map();
  });
  afterEach(() => void vi.useRealTimers());

  const work = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve) => endOf.set(name, resolve));
  };
  /** @returns the code of the error, if the call is refused */
  const call = async (name: string, userId = name): Promise<string | undefined> => {
    try {
      await queue.run(userId, work(name));
      return undefined;
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    }
  };
  const callWithoutKey = (name: string) => void queue.runOther(work(name));
  const end = async (name: string) => {
    endOf.get(name)?.();
    await vi.advanceTimersByTimeAsync(5);
  };
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it("run one at a time, in order, with a rest between", async () => {
    for (const name of ["a", "b", "c"]) void call(name);
    await pass(1);
    expect(started).toEqual(["a"]);
    endOf.get("a")?.();
    await pass(1);
    expect(started).toEqual(["a"]);
    await pass(4);
    expect(started).toEqual(["a", "b"]);
    await end("b");
    expect(started).toEqual(["a", "b", "c"]);
  });

  it("start seldom while others run, and at once when those have ended", async () => {
    callWithoutKey("web");
    for (const name of ["a", "b", "c"]) void call(name);
    await pass(1);
    await end("a");
    expect(started).toEqual(["web", "a"]);
    await pass(20);
    expect(started).toEqual(["web", "a", "b"]);
    await end("b");
    await end("web");
    expect(started).toEqual(["web", "a", "b", "c"]);
  });

  it("never wait for a call that itself waits, with a key or without", async () => {
    callWithoutKey("web");
    for (const name of ["a", "b"]) void call(name);
    await pass(120);
    expect(started).toEqual(["web", "a", "b"]);
    void call("c");
    await pass(1);
    expect(started).toEqual(["web", "a", "b", "c"]);
  });

  it("are refused when they have waited too long, without having run", async () => {
    const late = Array.from({ length: 300 }, (_, count) => call(`late-${count}`));
    await pass(10_100);
    const ran = started.length;
    for (const name of started) await end(name);
    const refused = (await Promise.all(late)).filter((code) => code === "unavailable").length;
    expect(ran).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(10);
    expect([started.length, ran + refused]).toEqual([ran, 300]);
  });

  it("of one user are refused at once when a minute's calls of theirs wait; those of others are not", async () => {
    for (let count = 0; count < API_KEY_CALLS_PER_MINUTE + 2; count++) void call(`a-${count}`, "a");
    expect(await call("one more", "a")).toBe("rate-limited");
    void call("b");
    await pass(1);
    await end("a-0");
    expect(started).toEqual(["a-0", "a-1"]);
    expect(started).not.toContain("one more");
  });

  it("make room when they end with an error", async () => {
    const fail = () => Promise.reject(new Error("failed"));
    const failed = [queue.run("a", fail), queue.run("a", fail)].map((call) =>
      expect(call).rejects.toThrow("failed"),
    );
    await pass(20);
    await Promise.all(failed);
    void call("b");
    await pass(1);
    expect(started).toEqual(["b"]);
  });
});
