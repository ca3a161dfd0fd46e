import type { MessageType } from "@shared/contract/channels.ts";
import { accountReasonSchema } from "@shared/contract/events.ts";
import { WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { describe, expect, it } from "vitest";
import { signalIdsOf, telegramText } from "./telegram-text.ts";

const ID = "6700000000000000000000aa";
const AT = "2026-11-21T10:00:00.000Z";
const context = {
  origin: "https://app.example.com",
  signals: new Map([[ID, { symbol: "BTC/USDT", timeframe: "1h" as const, kind: "BUY" as const }]]),
};
const textOf = (type: MessageType, data: unknown) => telegramText({ type, data }, context).text;

const OPEN = `<a href="https://app.example.com/signals/${ID}">Open the signal</a>`;
const signal = (analysis: object | null, symbol = "BTC/USDT") => ({
  ...{ signal_id: ID, symbol, timeframe: "1h", status: "completed", created_at: AT },
  analysis: analysis && { ...WAIT_ANALYSIS, ...analysis },
});
const BUY = {
  ...{ final_signal: "BUY", confidence: 72.04, entry: 113_456.789, stop_loss: 112_000 },
  ...{ take_profit: 0.0000123456789, valid_until: AT },
};
const user = {
  ...{ username: "ann", email: "ann@example.com", email_verified: true, role: "user" },
  ...{ approved: true, allow_image_upload: false, image_credits: 1, subscription: null },
};

describe("a message in Telegram", () => {
  it("of a signal has its levels to copy, the stated confidence, its end and a link", () => {
    expect(textOf("signal.completed", signal(BUY)).split("\n")).toEqual([
      "<b>BUY BTC/USDT, 1h</b>",
      "72% stated confidence, not yet calibrated",
      "Entry: <code>113456.79</code>",
      "Stop loss: <code>112000</code>",
      "Take profit: <code>0.0000123457</code>",
      "Valid until: 21 Nov 2026, 10:00 UTC",
      OPEN,
    ]);
  });

  it("of a signal says what is calibrated, demo data, and no more of a WAIT than there is", () => {
    const text = textOf("signal.completed", signal({ ...BUY, calibrated_confidence: 61.5 }));
    expect(text).toContain("72% stated confidence, 61.5% calibrated");
    const warnings = ["Demo data: recorded candles."];
    expect(textOf("signal.completed", signal({ warnings })).split("\n")).toEqual([
      "<b>WAIT BTC/USDT, 1h</b>",
      "40% stated confidence",
      "<i>Demo data: recorded candles.</i>",
      OPEN,
    ]);
    expect(textOf("signal.completed", signal(null))).toContain("Signal ready: BTC/USDT");
  });

  it("escapes what users and models write, and fits the length that Telegram permits", () => {
    const warnings = Array.from({ length: 30 }, () => `<b>"&'</b>${"x".repeat(1_000)}`);
    const text = textOf("signal.completed", signal({ ...BUY, warnings }, "<I>&"));
    expect(text).toContain("<b>BUY &lt;I&gt;&amp;, 1h</b>");
    expect(text).toContain("<i>&lt;b&gt;&quot;&amp;&#39;&lt;/b&gt;xxx");
    expect(text.length).toBeLessThan(4_096);
    const proof = { username: "<ann>", sender_name: "A & B", filename: "p", url: "u" };
    expect(textOf("proof.submitted", { ...proof, submitted_at: AT })).toContain(
      "&lt;ann&gt;, sent by A &amp; B",
    );
  });

  it.each([
    ["signal.filled", { price: 100.5, filled_at: AT }, ["Entry filled: ", "At <code>100.5</code>"]],
    ["signal.entry_left", { price: 7, at: AT }, ["Entry missed: ", "at <code>7</code>. Do not"]],
    ["signal.outcome", { outcome: "WIN", resolved_at: AT }, ["WIN: ", "reached its take profit"]],
    ["signal.outcome", { outcome: "LOSS", resolved_at: AT }, ["LOSS: ", "reached its stop loss"]],
    ["signal.outcome", { outcome: "EXPIRED", resolved_at: AT }, ["EXPIRED: ", "without reaching"]],
  ] as const)("of %s %j names the market of the signal", (type, data, [title, line]) => {
    const text = textOf(type, { signal_id: ID, ...data });
    expect(text).toContain(`<b>${title}BUY BTC/USDT, 1h</b>`);
    expect(text).toContain(line);
    expect(text).toContain(OPEN);
    const deleted = textOf(type, { signal_id: "6700000000000000000000bb", ...data });
    expect(deleted).toContain(`<b>${title}a deleted signal</b>`);
  });

  it.each(accountReasonSchema.options)("of the account says %s", (reason) => {
    const [title, text, link] = textOf("account.updated", { ...user, reason }).split("\n");
    expect(title).toMatch(/^<b>[A-Z][a-z ]+<\/b>$/);
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(link).toBe('<a href="https://app.example.com/dashboard">Open your dashboard</a>');
  });

  it.each([
    [
      "subscription.expiring",
      { plan: "pro", ends_at: AT, days_left: 1 },
      {
        start: "<b>Subscription ends in 1 day</b>\nYour Pro plan ends on 21 Nov 2026, 10:00 UTC.\n",
        path: "/payment?plan=pro",
      },
    ],
    [
      "user.registered",
      { ...user, payment_proof: null, created_at: AT },
      { start: "<b>New registration</b>\nann\n", path: "/admin" },
    ],
    [
      "budget.reached",
      { percent: 80, spent_usd: 8, budget_usd: 10 },
      {
        start: "<b>80% of the AI budget is spent</b>\n8 USD of 10 USD today (UTC)\n",
        path: "/admin",
      },
    ],
    [
      "channel.test",
      { message: "This is a test message." },
      { start: "<b>This is a test message</b>\n", path: "/user-panel" },
    ],
  ] as const)("of %s", (type, data, { start, path }) => {
    const text = textOf(type, data);
    expect(text.startsWith(start)).toBe(true);
    expect(text).toContain(`<a href="https://app.example.com${path}">`);
  });

  it("of a summary counts what happened, and links what is still of use", () => {
    const outcome = { signal_id: ID, outcome: "WIN", resolved_at: AT };
    const data = {
      ...{ from: AT, to: "2026-11-22T05:30:00.000Z" },
      counts: { "signal.outcome": 1, "signal.completed": 3 },
      messages: [
        { type: "signal.completed", timestamp: AT, data: signal(BUY) },
        { type: "signal.outcome", timestamp: AT, data: outcome },
      ],
    };
    expect(textOf("channel.summary", data).split("\n")).toEqual([
      "<b>During your quiet hours</b>",
      "21 Nov 2026, 10:00 UTC to 22 Nov 2026, 05:30 UTC",
      "new signals: 3",
      "results: 1",
      `• <a href="https://app.example.com/signals/${ID}">BUY BTC/USDT, 1h</a>`,
      `• <a href="https://app.example.com/signals/${ID}">WIN: BUY BTC/USDT, 1h</a>`,
    ]);
    expect(signalIdsOf({ type: "channel.summary", data })).toEqual([ID]);
    const foreign = { type: "signal.outcome", data: { signal_id: "x" } } as const;
    expect(signalIdsOf(foreign)).toEqual([]);
  });
});
