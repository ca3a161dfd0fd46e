import type { MessageType } from "@shared/contract/channels.ts";
import { accountReasonSchema } from "@shared/contract/events/event-data.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import { type Brand, brandWith } from "@shared/runtime/compose-email.ts";
import { tradeAnalysis, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { describe, expect, it } from "vitest";
import { describeMessage } from "./describe-message.ts";

const AT = "2026-11-21T10:00:00.000Z";
const TIME = "21 November 2026 at 10:00 UTC";
const MARKET = { symbol: "BTC/USDT", timeframe: "1h" } as const;
const signals = new Map([["1", { ...MARKET, analysis: tradeAnalysis(new Date(AT)) }]]);
const describeOne = (type: MessageType, data: unknown) => describeMessage({ type, data }, signals);
const signal = (analysis: object | null) => ({
  signal_id: "1",
  ...MARKET,
  status: "completed",
  created_at: AT,
  analysis: analysis && { ...WAIT_ANALYSIS, ...analysis },
});
const BUY = {
  final_signal: "BUY",
  confidence: 72.04,
  entry: 113_456.789,
  stop_loss: 112_000,
  take_profit: 0.0000123456789,
  valid_until: AT,
};
const user = {
  username: "bob",
  email: "bob@example.com",
  email_verified: true,
  role: "user",
  approved: false,
  allow_image_upload: false,
  image_credits: 1,
  subscription: null,
};

describe("what a message says about", () => {
  it("a trade: its levels, what is calibrated, its end and its warnings before its reasons", () => {
    const warnings = ["Demo data: recorded candles."];
    const data = signal({ ...BUY, calibrated_confidence: 61.5, warnings });
    expect(describeOne("signal.completed", data)).toMatchObject({
      subject: "BUY BTC/USDT: 1h, 72% stated confidence, 61.5% calibrated",
      levels: [
        ["Entry", "113456.78900"],
        ["Stop loss", "112000.00000"],
        ["Take profit", "0.000012346"],
      ],
      facts: [
        ["Calibrated confidence", "61.5%"],
        ["Enter before", TIME],
        ["Hold", "No position"],
      ],
      points: [{ text: "Warning: Demo data: recorded candles." }, {}],
      path: "/signals/1",
    });
  });

  it("a WAIT that states no confidence", () => {
    const { subject } = describeOne("signal.completed", signal({ confidence: 0 }));
    expect(subject).toBe("WAIT BTC/USDT: 1h");
  });

  it("a WAIT, which has no levels and no size", () => {
    const { subject, levels, facts, points } = describeOne("signal.completed", signal({}));
    expect(subject).toBe("WAIT BTC/USDT: 1h, 40% stated confidence");
    expect(levels).toEqual([]);
    expect(facts).toEqual([["Hold", "No position"]]);
    expect(points).toEqual([{ text: "Nothing speaks for either side." }]);
  });

  it("a signal without an analysis", () => {
    const { subject } = describeOne("signal.completed", signal(null));
    expect(subject).toBe("Signal ready: BTC/USDT: 1h");
  });

  it.each([
    ["signal.filled", { price: 100.5, filled_at: AT }, ["Filled at", "100.50000"]],
    ["signal.entry_left", { price: 7, at: AT }, ["Price", "7.00000"]],
    ["signal.outcome", { outcome: "WIN", resolved_at: AT }, ["Entry", "100.00000"]],
  ] as const)("%s: its market, the levels of the trade and a link", (type, data, firstLevel) => {
    const text = describeOne(type, { signal_id: "1", ...data });
    expect(text.subject).toMatch(/^(Entry filled|Entry missed|WIN): BUY BTC\/USDT 1h$/);
    expect(text).toMatchObject({ path: "/signals/1" });
    expect(text.facts?.at(-1)?.[1]).toBe(TIME);
    expect(text.levels?.[0]).toEqual(firstLevel);
    expect(text.levels?.slice(-3).map(([label]) => label)).toEqual([
      "Entry",
      "Stop loss",
      "Take profit",
    ]);
    expect(describeOne(type, { signal_id: "2", ...data }).subject).toMatch(/: deleted signal$/);
  });

  it("an entry that was not filled in time", () => {
    const resolution: Resolution = {
      outcome: "EXPIRED",
      reason: "not-filled",
      resolved_at: AT,
      filled_at: null,
      fill: null,
      exited_at: null,
      exit: null,
      r_multiple: null,
      max_favourable_r: null,
      max_adverse_r: null,
      costs: { spread_percent: 0, commission_percent: 0 },
    };
    const data = { signal_id: "1", outcome: "EXPIRED", resolved_at: AT };
    const resolved = new Map([["1", { ...MARKET, resolution }]]);
    const { text, facts } = describeMessage({ type: "signal.outcome", data }, resolved);
    expect(text).toBe("The entry was not filled in time.");
    expect(facts).toEqual([["Resolved", TIME]]);
  });

  it.each(accountReasonSchema.options)("an account: %s", (reason) => {
    const { subject, text } = describeOne("account.updated", { ...user, reason });
    expect(subject).toMatch(/^[A-Z].*[a-z]$/);
    expect(text).toMatch(/^[A-Z].*\.$/);
  });

  it.each([
    [
      "subscription.expiring",
      { plan: "pro", ends_at: AT, days_left: 1 },
      {
        subject: "Subscription ends in 1 day",
        path: "/payment?plan=pro",
        facts: [
          ["Plan", "Pro"],
          ["Ends", TIME],
        ],
      },
    ],
    [
      "budget.reached",
      { percent: 100, spent_usd: 10, budget_usd: 10 },
      { subject: "AI budget used up", text: "10 USD of 10 USD today (UTC)." },
    ],
    [
      "user.registered",
      { ...user, payment_proof: null, created_at: AT },
      {
        subject: "New registration: bob",
        facts: [
          ["Email", "bob@example.com"],
          ["Registered", TIME],
        ],
      },
    ],
    ["channel.test", { message: "This is a test message." }, { subject: "Test message" }],
  ] as const)("%s", (type, data, expected) => {
    expect(describeOne(type, data)).toMatchObject(expected);
  });

  it("quiet hours: how much happened, and what is still of use", () => {
    const data = {
      from: AT,
      to: "2026-11-22T05:30:00.000Z",
      counts: { "signal.outcome": 1, "signal.completed": 3 },
      messages: [
        { type: "signal.completed", timestamp: AT, data: signal(BUY) },
        {
          type: "signal.outcome",
          timestamp: AT,
          data: { signal_id: "1", outcome: "WIN", resolved_at: AT },
        },
      ],
    };
    expect(describeOne("channel.summary", data)).toMatchObject({
      subject: "4 messages from your quiet hours",
      text: expect.stringContaining("2 older or expired messages are not listed."),
      facts: [
        ["New signals", "3"],
        ["Results", "1"],
      ],
      points: [
        { text: "BUY BTC/USDT: 1h, 72% stated confidence, not yet calibrated", path: "/signals/1" },
        { text: "WIN: BUY BTC/USDT 1h. The trade reached its take profit.", path: "/signals/1" },
      ],
    });
  });
});

it("has times in the operator's time zone, where one is set", () => {
  const data = { plan: "pro", ends_at: "2026-07-01T10:00:00.000Z", days_left: 3 };
  const message = { type: "subscription.expiring", data } as const;
  const facts = (brand?: Brand) => describeMessage(message, new Map(), brand).facts;
  expect(facts()).toContainEqual(["Ends", "1 July 2026 at 10:00 UTC"]);
  const brand = brandWith({ name: "Northwind", timeZone: "America/New_York" });
  expect(facts(brand)).toContainEqual(["Ends", "1 July 2026 at 06:00 GMT-4"]);
});
