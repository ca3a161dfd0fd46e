import { DAY_MS } from "@shared/contract/constants.ts";
import { addMonthsUtc } from "@shared/contract/plans.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SubscriptionRecord } from "../database/models/payment.ts";
import {
  dueSteps,
  extendSubscription,
  newSubscription,
  revokeSubscription,
  type SubscriptionStep,
  statusAt,
} from "./subscription-schedule.ts";

const at = (text: string): Date => new Date(text);
const later = (time: Date, days: number): Date => new Date(time.getTime() + days * DAY_MS);

/** A starter subscription with three days of grace. */
const start = (text: string, months = 1): SubscriptionRecord =>
  newSubscription(at(text), { plan: "starter", months, graceDays: 3 });

/** What is due at each of these times, if the subscription is swept then. */
function sweep(subscription: SubscriptionRecord, times: readonly string[]): string[] {
  const found: string[] = [];
  let current = subscription;
  for (const time of times) {
    const { steps, after } = dueSteps(current, at(time));
    found.push(...steps.map((step) => `${time.slice(5, 16)} ${textOf(step)}`));
    current = after;
  }
  return found;
}

function textOf(step: SubscriptionStep): string {
  if (step.kind === "credits") return `credits ${step.month}`;
  return step.kind === "reminder" ? `reminder ${step.days}` : step.kind;
}

describe("a subscription", () => {
  it("has credits each month on its day, reminders at 7, 3 and 1 days, grace and an end", () => {
    const subscription = start("2026-01-31T12:00:00Z", 2);
    const times = Array.from({ length: 70 * 24 }, (_, hours) =>
      later(at("2026-01-31T12:00:00Z"), hours / 24).toISOString(),
    );
    expect(sweep(subscription, times)).toEqual([
      "01-31T12:00 credits 0",
      "02-28T12:00 credits 1",
      "03-24T12:00 reminder 7",
      "03-28T12:00 reminder 3",
      "03-30T12:00 reminder 1",
      "03-31T12:00 grace",
      "04-03T12:00 ended",
    ]);
  });

  it("gets all credits, the newest reminder and the last change that downtime has delayed", () => {
    const sweepOnce = (time: string) =>
      sweep(start("2026-01-31T12:00:00Z", 2), ["2026-01-31T12:00:00Z", time]).slice(1);
    expect(sweepOnce("2026-03-29T00:00:00Z")).toEqual([
      "03-29T00:00 credits 1",
      "03-29T00:00 reminder 3",
    ]);
    expect(sweepOnce("2026-04-01T00:00:00Z")).toEqual([
      "04-01T00:00 credits 1",
      "04-01T00:00 grace",
    ]);
    expect(sweepOnce("2026-05-15T00:00:00Z")).toEqual([
      "05-15T00:00 credits 1",
      "05-15T00:00 ended",
    ]);
  });

  it("ends at once without a grace period", () => {
    const subscription = newSubscription(at("2026-01-31T12:00:00Z"), {
      plan: "pro",
      months: 1,
      graceDays: 0,
    });
    const steps = dueSteps(subscription, at("2026-02-28T12:00:00Z")).steps;
    expect(steps.map(textOf)).toEqual(["credits 0", "ended"]);
  });

  it("keeps the day of its start across renewals, and is reminded of the new end", () => {
    const first = dueSteps(start("2026-01-31T12:00:00Z"), at("2026-02-27T13:00:00Z")).after;
    const renewed = extendSubscription(first, { plan: "pro", months: 1, graceDays: 3 });
    expect(renewed).toMatchObject({
      plan: "pro",
      endsAt: at("2026-03-31T12:00:00Z"),
      remindedDays: null,
    });
    expect(sweep(renewed, ["2026-02-28T12:00:00Z", "2026-03-24T12:00:00Z"])).toEqual([
      "02-28T12:00 credits 1",
      "03-24T12:00 reminder 7",
    ]);
  });

  it("continues from its end if it is renewed during grace", () => {
    const inGrace = dueSteps(start("2026-01-31T12:00:00Z"), at("2026-03-02T00:00:00Z")).after;
    expect(inGrace.status).toBe("grace");
    const renewed = extendSubscription(inGrace, { plan: "starter", months: 1, graceDays: 3 });
    expect(renewed).toMatchObject({ status: "active", endsAt: at("2026-03-31T12:00:00Z") });
    expect(sweep(renewed, ["2026-03-02T00:00:00Z"])).toEqual(["03-02T00:00 credits 1"]);
  });

  it("is over at once if it is revoked, but never later than before", () => {
    const running = start("2026-01-31T12:00:00Z", 3);
    const revoked = revokeSubscription(running, at("2026-02-10T00:00:00Z"));
    expect(revoked).toMatchObject({ status: "ended", endsAt: at("2026-02-10T00:00:00Z") });
    expect(sweep(revoked, ["2026-12-01T00:00:00Z"])).toEqual([]);
    const inGrace = revokeSubscription(start("2026-01-31T12:00:00Z"), at("2026-03-01T00:00:00Z"));
    expect(inGrace.endsAt).toEqual(at("2026-02-28T12:00:00Z"));
    expect(statusAt(inGrace, at("2026-03-01T00:00:00Z"))).toBe("ended");
  });
});

/** Days between sweeps, with downtimes of up to 45 days, and renewals in between. */
const course = fc.record({
  startedAt: fc.date({ min: at("2024-01-01"), max: at("2028-12-31"), noInvalidDate: true }),
  months: fc.integer({ min: 1, max: 24 }),
  graceDays: fc.integer({ min: 0, max: 10 }),
  turns: fc.array(
    fc.record({
      days: fc.oneof(
        fc.double({ min: 0, max: 3, noNaN: true }),
        fc.double({ min: 0, max: 45, noNaN: true }),
      ),
      renewal: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 6 }),
    }),
    { minLength: 1, maxLength: 60 },
  ),
});
type Course = typeof course extends fc.Arbitrary<infer Value> ? Value : never;

interface Seen {
  at: Date;
  step: SubscriptionStep;
  /** Of the subscription before the step. */
  endsAt: Date;
}

function run({ startedAt, months, graceDays, turns }: Course) {
  const payment = { plan: "trader", graceDays } as const;
  let subscription = newSubscription(startedAt, { ...payment, months });
  let now = startedAt;
  let paid = months;
  const seen: Seen[] = [];
  const advance = () => {
    const { steps, after } = dueSteps(subscription, now);
    seen.push(...steps.map((step) => ({ at: now, step, endsAt: subscription.endsAt })));
    subscription = after;
  };
  for (const { days, renewal } of turns) {
    now = later(now, days);
    advance();
    if (renewal && subscription.status !== "ended") {
      subscription = extendSubscription(subscription, { ...payment, months: renewal });
      paid += renewal;
      advance();
    }
    expect(subscription.status).toBe(statusAt(subscription, now));
    expect(subscription.nextDueAt === null || subscription.nextDueAt > now).toBe(true);
    expect(dueSteps(subscription, now).steps).toEqual([]);
  }
  return { seen, subscription, paid, now };
}

const ofKind = <Kind extends SubscriptionStep["kind"]>(seen: readonly Seen[], kind: Kind) =>
  seen.filter(({ step }) => step.kind === kind);

describe("in any course of sweeps, downtimes and renewals, a subscription", () => {
  it("gets the credits of each paid month that has started once, in order", () => {
    fc.assert(
      fc.property(course, (input) => {
        const { seen, subscription, paid, now } = run(input);
        const months = seen.flatMap(({ step }) => (step.kind === "credits" ? [step.month] : []));
        const started = Array.from({ length: paid }, (_, month) => month).filter(
          (month) => addMonthsUtc(input.startedAt, month) <= now,
        );
        expect(months).toEqual(started);
        expect(subscription.endsAt).toEqual(addMonthsUtc(input.startedAt, paid));
      }),
    );
  });

  it("is reminded of each end at most three times, closer each time, and never after it", () => {
    fc.assert(
      fc.property(course, (input) => {
        const reminders = ofKind(run(input).seen, "reminder");
        for (const { at: sentAt, step, endsAt } of reminders) {
          expect(step.dueAt <= sentAt && sentAt < endsAt).toBe(true);
        }
        const keys = reminders.map(({ step, endsAt }) => `${endsAt.getTime()} ${textOf(step)}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  it("ends once, after everything else, and only when its grace period is over", () => {
    fc.assert(
      fc.property(course, (input) => {
        const { seen, subscription } = run(input);
        const endings = ofKind(seen, "ended");
        expect(endings.length).toBe(subscription.status === "ended" ? 1 : 0);
        const [ending] = endings;
        if (!ending) return;
        expect(seen.at(-1)).toBe(ending);
        expect(ending.step.dueAt).toEqual(subscription.accessEndsAt);
      }),
    );
  });
});
