import type { Me } from "@shared/contract/account.ts";
import type { SignalResponse } from "@shared/contract/signal.ts";
import { expect, test } from "vitest";
import { type LiveEvent, parseLiveEvent } from "./events.ts";
import { applyEvent, initialLiveState, type LiveState, withAccount } from "./store.ts";

const at = "2025-11-21T12:00:00.000Z";
const ref = { signal_id: "s1", symbol: "BTC/USDT", timeframe: "1h" } as const;
const completed: SignalResponse = {
  ...ref,
  status: "completed",
  origin: "request",
  created_at: at,
  analysis: null,
};
const me: Me = {
  username: "ann",
  email: "ann@example.com",
  email_verified: true,
  role: "user",
  approved: false,
  allow_image_upload: false,
  image_credits: 3,
  payment_proof: null,
  stream_positions: { user: 10 },
};

function event(name: string, seq: number, data: object): LiveEvent {
  const parsed = parseLiveEvent(name, { stream: "user", seq, at, data });
  if (!parsed) throw new Error(`not an event of the contract: ${name}`);
  return parsed;
}

const after = (...events: LiveEvent[]): LiveState =>
  events.reduce(applyEvent, withAccount(initialLiveState, me));

const accountChange = {
  approved: true,
  role: "user",
  allow_image_upload: true,
  image_credits: 5,
  reason: "approved",
} as const;

test("a signal goes from queued to running to completed", () => {
  const statuses = [
    after(event("signal:queued", 11, ref)),
    after(event("signal:queued", 11, ref), event("signal:started", 12, ref)),
    after(event("signal:started", 12, ref), event("signal:completed", 13, completed)),
  ].map((state) => state.signals.s1?.status);
  expect(statuses).toEqual(["queued", "running", "completed"]);
});

test("a worker's late start does not set a finished signal back", () => {
  const state = after(event("signal:completed", 11, completed), event("signal:started", 12, ref));
  expect(state.signals.s1?.status).toBe("completed");
});

test("an outcome is kept by its signal", () => {
  const data = { signal_id: "s1", outcome: "WIN", resolved_at: at };
  expect(after(event("signal:outcome", 11, data)).outcomes).toEqual({ s1: "WIN" });
});

test("an entry that the price has left is kept by its signal, until the history is cleared", () => {
  const left = { price: 113_900, at };
  const told = event("signal:entry-left", 11, { signal_id: "s1", ...left });
  expect(after(told).entriesLeft).toEqual({ s1: left });
  expect(after(told, event("history:cleared", 12, {})).entriesLeft).toEqual({});
});

test("a cleared history takes signals and outcomes with it", () => {
  const state = after(event("signal:queued", 11, ref), event("history:cleared", 12, {}));
  expect(state.signals).toEqual({});
});

test("an account change is applied on top of what is known", () => {
  const { account } = after(event("account:updated", 11, accountChange));
  expect(account).toMatchObject({ username: "ann", approved: true, image_credits: 5, asOfSeq: 11 });
  expect(account).not.toHaveProperty("reason");
});

test("a confirmed address is known at once", () => {
  const unconfirmed = withAccount(initialLiveState, { ...me, email_verified: false });
  const change = { ...accountChange, reason: "email-verified" };
  const { account } = applyEvent(unconfirmed, event("account:updated", 11, change));
  expect(account?.email_verified).toBe(true);
});

test("an account change that the account already contains does not set it back", () => {
  expect(after(event("account:updated", 10, accountChange)).account?.approved).toBe(false);
});

test("an event whose data or name is unknown is not an event", () => {
  const envelope = { stream: "user", seq: 11, at };
  expect(parseLiveEvent("signal:queued", { ...envelope, data: { signal_id: 5 } })).toBeNull();
  expect(parseLiveEvent("signal:dreamt", { ...envelope, data: {} })).toBeNull();
});
