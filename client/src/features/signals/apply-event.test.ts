import type { HistoryItem, HistoryPage, SignalResponse } from "@shared/contract/signal.ts";
import type { InfiniteData } from "@tanstack/react-query";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { queryClient } from "../../lib/query-client.ts";
import { parseLiveEvent } from "../../lib/realtime/events.ts";
import { applySignalEvent, signalKeys, storeSignal } from "./apply-event.ts";

beforeEach(() => queryClient.clear());

const hour = (n: number) => `2025-11-21T${String(n).padStart(2, "0")}:00:00.000Z`;

const signal = (id: string, n: number, status: SignalResponse["status"]): SignalResponse => ({
  signal_id: id,
  symbol: "ETH/USDT",
  timeframe: "4h",
  status,
  origin: "request",
  created_at: hour(n),
  analysis: null,
});

const item = (id: string, n: number, change: Partial<HistoryItem> = {}): HistoryItem => ({
  id,
  timestamp: hour(n),
  symbol: "BTC/USDT",
  timeframe: "1h",
  status: "completed",
  signal: "BUY",
  confidence: 70,
  entry: 100,
  stop_loss: 98,
  take_profit: 104,
  rationale: "as read over REST",
  ...change,
});

function receive(name: string, data: object): void {
  const event = parseLiveEvent(name, { stream: "user", seq: 11, at: hour(12), data });
  if (!event) throw new Error(`not an event of the contract: ${name}`);
  applySignalEvent(event);
}

const ref = { signal_id: "s1", symbol: "BTC/USDT", timeframe: "1h" };
const outcome = { signal_id: "a", outcome: "WIN", resolved_at: hour(12) };
const entryLeft = { price: 113_900, at: hour(9) };

const known = (id = "s1") => queryClient.getQueryData<SignalResponse>(signalKeys.detail(id));

/** Puts pages into the cache as read over REST; every page but the last has a next one. */
function readHistory(pages: HistoryItem[][], { hasMore = false, filter = {} } = {}): void {
  queryClient.setQueryData<InfiniteData<HistoryPage>>(signalKeys.history(filter), {
    pages: pages.map((signals, index) => ({
      signals,
      next_cursor: hasMore || index < pages.length - 1 ? `page-${index + 1}` : null,
    })),
    pageParams: pages.map(() => null),
  });
}

const history = () =>
  queryClient
    .getQueryData<InfiniteData<HistoryPage>>(signalKeys.history({}))
    ?.pages.flatMap(({ signals }) => signals) ?? [];
const ids = () => history().map(({ id }) => id);

describe("a signal", () => {
  test("goes from queued to running to completed, without having been read", () => {
    receive("signal:queued", ref);
    expect(known()?.status).toBe("queued");
    receive("signal:started", ref);
    expect(known()?.status).toBe("running");
    receive("signal:completed", signal("s1", 10, "completed"));
    expect(known()).toEqual(signal("s1", 10, "completed"));
  });

  test("is not set back by a worker's late start, nor by the reply to its request", () => {
    receive("signal:completed", signal("s1", 10, "completed"));
    receive("signal:started", ref);
    storeSignal(signal("s1", 10, "queued"));
    expect(known()?.status).toBe("completed");
  });

  test("is not set back by a response that left the server before the event", async () => {
    const statuses: SignalResponse["status"][] = ["running", "completed"];
    const responses: ((response: SignalResponse) => void)[] = [];
    const reading = queryClient.fetchQuery({
      queryKey: signalKeys.detail("s1"),
      queryFn: ({ signal: aborted }) =>
        new Promise<SignalResponse>((resolve, reject) => {
          responses.push(resolve);
          aborted.addEventListener("abort", () => reject(aborted.reason));
        }),
    });
    receive("signal:completed", signal("s1", 10, "completed"));
    for (const respond of responses) respond(signal("s1", 10, statuses.shift() ?? "completed"));
    await reading.catch(() => null);
    expect(known()?.status).toBe("completed");
  });

  test("keeps the price at which its entry was missed", () => {
    storeSignal(signal("s1", 10, "completed"));
    receive("signal:entry-left", { signal_id: "s1", ...entryLeft });
    expect(known()?.entry_left).toEqual(entryLeft);
  });

  test("keeps its fill and its outcome, though a reply is older", () => {
    storeSignal(signal("s1", 10, "completed"));
    receive("signal:filled", { signal_id: "s1", price: 101, filled_at: hour(11) });
    receive("signal:outcome", { ...outcome, signal_id: "s1" });
    storeSignal(signal("s1", 10, "completed"));
    const filled = { price: 101, at: hour(11) };
    expect(known()).toMatchObject({ filled, outcome: "WIN" });
  });

  test("has its outcome read when the market has resolved it", async () => {
    queryClient.setQueryData(signalKeys.progress("a"), { judgement: null });
    receive("signal:outcome", outcome);
    await vi.waitFor(
      () => {
        expect(queryClient.getQueryState(signalKeys.progress("a"))?.isInvalidated).toBe(true);
      },
      { timeout: 30_000 },
    );
  });

  test("is forgotten with the rest of a cleared history", async () => {
    receive("signal:queued", ref);
    readHistory([[item("a", 7)]]);
    receive("history:cleared", {});
    await vi.waitFor(() => expect(known()).toBeUndefined(), { timeout: 30_000 });
    expect(history()).toEqual([]);
  });
});

describe("the history", () => {
  test("lists a signal that has finished since where its time puts it", () => {
    readHistory([[item("c", 9), item("a", 7)]]);
    receive("signal:completed", signal("d", 10, "completed"));
    receive("signal:failed", signal("b", 8, "failed"));
    expect(ids()).toEqual(["d", "c", "b", "a"]);
  });

  test("does not list a signal that is still running", () => {
    readHistory([[item("a", 7)]]);
    receive("signal:started", { ...ref, signal_id: "b" });
    expect(ids()).toEqual(["a"]);
  });

  test("lists a signal that is known already once, as read over REST", () => {
    readHistory([[item("a", 7)]]);
    receive("signal:completed", signal("a", 7, "completed"));
    expect(history()).toEqual([item("a", 7)]);
  });

  test("completes a signal that was unfinished when it was read", () => {
    readHistory([[item("a", 7, { status: "running" })]]);
    receive("signal:completed", signal("a", 7, "completed"));
    expect(history()).toMatchObject([{ id: "a", status: "completed", symbol: "ETH/USDT" }]);
  });

  test("leaves a signal that is older than all read to its page", () => {
    readHistory([[item("a", 7)]], { hasMore: true });
    receive("signal:completed", signal("old", 3, "completed"));
    expect(ids()).toEqual(["a"]);
    readHistory([[item("a", 7)]]);
    receive("signal:completed", signal("old", 3, "completed"));
    expect(ids()).toEqual(["a", "old"]);
  });

  test("puts a signal on the page of its time", () => {
    readHistory([[item("d", 9)], [item("b", 5)]]);
    receive("signal:completed", signal("c", 7, "completed"));
    expect(ids()).toEqual(["d", "c", "b"]);
  });

  test("begins with the first signal ever", () => {
    readHistory([[]]);
    receive("signal:completed", signal("first", 3, "completed"));
    expect(ids()).toEqual(["first"]);
  });

  test("replaces the outcome of a signal, and no other", () => {
    readHistory([[item("a", 8), item("b", 7, { outcome: "LOSS" })]]);
    receive("signal:outcome", outcome);
    expect(history().map((each) => each.outcome)).toEqual(["WIN", "LOSS"]);
  });

  test("is read again where it is filtered by outcome", async () => {
    const filter = { outcome: "WIN" };
    readHistory([[]], { filter });
    readHistory([[item("a", 8)]]);
    receive("signal:outcome", outcome);
    const isOutdated = (key: object) =>
      queryClient.getQueryState(signalKeys.history(key))?.isInvalidated;
    await vi.waitFor(() => expect(isOutdated(filter)).toBe(true), { timeout: 30_000 });
    expect(isOutdated({})).toBe(false);
  });

  test("says of a signal that it was filled", () => {
    readHistory([[item("a", 8), item("b", 7)]]);
    receive("signal:filled", { signal_id: "b", price: 101, filled_at: hour(11) });
    expect(history().map((each) => each.filled?.price)).toEqual([undefined, 101]);
  });

  test("says of a signal that its entry was missed", () => {
    readHistory([[item("a", 8), item("b", 7)]]);
    receive("signal:entry-left", { signal_id: "b", ...entryLeft });
    expect(history().map((each) => each.entry_left)).toEqual([undefined, entryLeft]);
  });
});
