import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TelegramPace } from "./telegram-api.ts";

const never = new AbortController().signal;

describe("the pace of Telegram", () => {
  let pace: TelegramPace;
  let sent: { chatId: string; atMs: number }[];
  beforeEach(() => {
    vi.useFakeTimers();
    pace = new TelegramPace();
    sent = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const send = (chatId: string, { abort = never, durationMs = 0 } = {}) =>
    pace.run(chatId, abort, async () => {
      sent.push({ chatId, atMs: performance.now() });
      if (durationMs > 0) await new Promise((resolve) => setTimeout(resolve, durationMs));
    });

  it("is at most 30 messages in any second, and 5,000 in less than 3 minutes", async () => {
    const startedAt = performance.now();
    const all = Promise.all(Array.from({ length: 5_000 }, (_, index) => send(String(index))));
    await vi.advanceTimersByTimeAsync(180_000);
    await all;
    expect(sent).toHaveLength(5_000);
    const times = sent.map(({ atMs }) => atMs);
    for (const [index, time] of times.entries()) {
      const [later = Number.POSITIVE_INFINITY] = times.slice(index + 30, index + 31);
      expect(later - time).toBeGreaterThan(1_000);
    }
    expect((times.at(-1) ?? 0) - startedAt).toBeLessThan(175_000);
  });

  it("is a second for each chat after the message before, in order, while others go on", async () => {
    const all = [
      send("ann", { durationMs: 300 }),
      send("ann"),
      send("ann"),
      send("bob"),
      send("carl"),
    ];
    await vi.advanceTimersByTimeAsync(5_000);
    await Promise.all(all);
    const of = (chat: string) => sent.filter(({ chatId }) => chatId === chat);
    const [first, second, third] = of("ann").map(({ atMs }) => atMs);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_300);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect((of("carl")[0]?.atMs ?? 0) - (first ?? 0)).toBeLessThan(100);
  });

  it("lets a post to the channel pass messages to users that wait", async () => {
    const all = [...Array.from({ length: 100 }, (_, index) => send(String(index))), send("-1001")];
    await vi.advanceTimersByTimeAsync(5_000);
    await Promise.all(all);
    expect(sent.findIndex(({ chatId }) => chatId === "-1001")).toBeLessThan(5);
  });

  it("forgets a message that was given up, which costs the others no time", async () => {
    const gaveUp = Array.from({ length: 60 }, () =>
      send("ann", { abort: AbortSignal.abort(new Error("given up")) }),
    );
    const [result] = await Promise.allSettled(gaveUp);
    expect(result).toMatchObject({ status: "rejected", reason: new Error("given up") });
    await send("bob");
    expect(sent).toHaveLength(1);
  });

  it("ends the wait of a message that is given up", async () => {
    const abort = new AbortController();
    await send("ann");
    const waiting = send("ann", { abort: abort.signal });
    const result = expect(waiting).rejects.toThrow("given up");
    await vi.advanceTimersByTimeAsync(500);
    abort.abort(new Error("given up"));
    await result;
    expect(sent).toHaveLength(1);
  });
});
