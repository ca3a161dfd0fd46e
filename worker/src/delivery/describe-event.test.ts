import { accountReasonSchema } from "@shared/contract/events.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import { tradeAnalysis, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { describe, expect, it } from "vitest";
import { describeEvent } from "./describe-event.ts";

const AT = "2026-11-21T10:00:00.000Z";
const MARKET = { symbol: "BTC/USDT", timeframe: "1h" } as const;
const findSignal = (id: string) =>
  id === "1" ? { ...MARKET, analysis: tradeAnalysis(new Date(AT)) } : undefined;

describe("what an email says about", () => {
  it("a fill", () => {
    const data = { signal_id: "1", price: 100.25, filled_at: AT };
    const { subject, facts } = describeEvent("signal.filled", data, findSignal);
    expect(subject).toBe("Entry filled: BUY BTC/USDT 1h");
    expect(facts?.[0]).toEqual(["Filled at", "100.25, 21 November 2026 at 10:00 UTC"]);
  });

  it("a WAIT, which has no levels and no size", () => {
    const signal = { signal_id: "1", ...MARKET, status: "completed", created_at: AT };
    const data = { ...signal, analysis: WAIT_ANALYSIS };
    const { subject, facts, points } = describeEvent("signal.completed", data, findSignal);
    expect(subject).toBe("WAIT BTC/USDT 1h, 40% confidence");
    expect(facts).toEqual([["Hold", "No position"]]);
    expect(points).toEqual([{ text: "Nothing speaks for either side." }]);
  });

  it("an entry that was not filled in time", () => {
    const resolution: Resolution = {
      ...{ outcome: "EXPIRED", reason: "not-filled", resolved_at: AT, filled_at: null, fill: null },
      ...{ exited_at: null, exit: null, r_multiple: null },
      ...{ max_favourable_r: null, max_adverse_r: null },
      costs: { spread_percent: 0, commission_percent: 0 },
    };
    const data = { signal_id: "1", outcome: "EXPIRED", resolved_at: AT };
    const { request, facts } = describeEvent("signal.outcome", data, () => ({
      ...MARKET,
      resolution,
    }));
    expect(request).toBe("your signal has expired: its entry was not filled.");
    expect(facts).toEqual([["Resolved", "21 November 2026 at 10:00 UTC"]]);
  });

  it.each(accountReasonSchema.options)("an account: %s", (reason) => {
    const account = { approved: true, role: "user", allow_image_upload: true, image_credits: 1 };
    const { subject, request } = describeEvent(
      "account.updated",
      { ...account, reason },
      findSignal,
    );
    expect(subject).toMatch(/^(A|Your|Chart|An) .*[a-z]$/);
    expect(request).toMatch(/^[a-z].*\.$/);
  });

  it.each([
    ["subscription.expiring", { plan: "pro", ends_at: AT, days_left: 1 }, "ends in 1 day"],
    [
      "budget.reached",
      { percent: 100, spent_usd: 10, budget_usd: 10 },
      "100% of today's AI budget",
    ],
  ] as const)("%s", (type, data, subject) => {
    expect(describeEvent(type, data, findSignal).subject).toContain(subject);
  });

  it("a new user", () => {
    const card = {
      ...{ username: "bob", email: "bob@example.com", email_verified: true, role: "user" },
      ...{ approved: false, allow_image_upload: false, image_credits: 0, payment_proof: null },
      ...{ subscription: null, created_at: AT },
    };
    const { subject, facts } = describeEvent("user.registered", card, findSignal);
    expect(subject).toBe("New user: bob");
    expect(facts?.[0]).toEqual(["Email", "bob@example.com"]);
  });
});
