import { DAY_MS } from "@shared/contract/durations.ts";
import { PLANS, type PlanId, planById } from "@shared/contract/plans.ts";
import type { Subscription } from "@shared/contract/subscription.ts";

const GRACE_MS = 3 * DAY_MS;
/** Newest first. */
const REMINDER_DAYS = [1, 3, 7];

export const PLAN_IDS = PLANS.map(({ id }) => id);

interface Run {
  startedAt: number;
  /** Of each paid month. */
  plans: PlanId[];
  /** Months with credits. */
  credited: number;
  /** Up to then, everything has been done. */
  doneUntil: number;
  revokedAt?: number;
}

/** What must be stored of one user: written from the contract, to compare with what the product does. */
export class SubscriptionModel {
  /** Reasons of account changes and reminders, in order. */
  readonly events: string[] = [];
  readonly emails: string[] = [];
  readonly credits: string[] = [];
  readonly payments: {
    plan: PlanId;
    months: number;
    from: string;
    to: string;
    revoked?: string;
  }[] = [];
  balance = 0;
  #run: Run | undefined;
  #isApprovedWithoutEnd = false;

  get plan(): PlanId | undefined {
    return this.#run?.plans.at(-1);
  }

  get endsAt(): number {
    return this.#run ? monthAfter(this.#run.startedAt, this.#run.plans.length) : Number.NaN;
  }

  get accessEndsAt(): number {
    return this.#run?.revokedAt ?? this.endsAt + GRACE_MS;
  }

  isRunning = (at: number): boolean => at < this.accessEndsAt;

  hasAccess = (at: number): boolean => this.#isApprovedWithoutEnd || this.isRunning(at);

  /** As `GET /me` must show it. */
  subscription(at: number): Subscription | null {
    if (!this.#run || !this.plan) return null;
    const endsAt = Math.min(this.endsAt, this.#run.revokedAt ?? Number.POSITIVE_INFINITY);
    const running = at < endsAt ? "active" : "grace";
    const status = this.isRunning(at) ? running : "ended";
    return {
      ...{ plan: this.plan, status, started_at: text(this.#run.startedAt), ends_at: text(endsAt) },
      grace_until: status === "grace" ? text(this.accessEndsAt) : null,
    };
  }

  /** A sweep. */
  settle(at: number): void {
    const run = this.#run;
    if (!run || run.revokedAt || run.doneUntil >= this.accessEndsAt) return;
    const due: { at: number; event: string; email?: string }[] = [];
    while (run.credited < run.plans.length && monthAfter(run.startedAt, run.credited) <= at) {
      due.push({ at: this.#grantMonth(run), event: "credits-granted" });
    }
    const isNew = (time: number) => run.doneUntil < time && time <= at;
    const missed = REMINDER_DAYS.map((days) => this.endsAt - days * DAY_MS).find(isNew);
    if (missed && at < this.endsAt) {
      const event = `expiring in ${Math.ceil((this.endsAt - at) / DAY_MS)}`;
      due.push({ at: missed, event, email: "subscription-expiring" });
    }
    const status = at < this.accessEndsAt ? "subscription-grace" : "subscription-ended";
    const changedAt = at < this.accessEndsAt ? this.endsAt : this.accessEndsAt;
    if (isNew(changedAt)) due.push({ at: changedAt, event: status, email: status });
    run.doneUntil = at;
    due.sort((one, other) => one.at - other.at);
    for (const { event, email } of due) this.#record(event, email);
  }

  /** @returns false if it must be refused */
  approve(at: number, { plan, months }: { plan?: PlanId | undefined; months: number }): boolean {
    if (this.isRunning(at) && plan && plan !== this.plan) return false;
    this.settle(at);
    if (this.isRunning(at)) return true;
    if (plan) this.#start(at, { plan, months, event: "subscription-started" });
    else if (!this.#isApprovedWithoutEnd) {
      this.#isApprovedWithoutEnd = true;
      this.#record("approved");
    }
    return true;
  }

  renew(at: number, { plan, months }: { plan: PlanId; months: number }): void {
    this.settle(at);
    const event = this.#run ? "subscription-renewed" : "subscription-started";
    if (!this.#run || !this.isRunning(at)) return this.#start(at, { plan, months, event });
    const from = this.endsAt;
    this.#run.plans.push(...Array.from({ length: months }, () => plan));
    this.payments.push({ plan, months, from: text(from), to: text(this.endsAt) });
    this.#record(event, event);
    this.settle(at);
  }

  revoke(at: number): void {
    this.settle(at);
    if (this.hasAccess(at)) this.#record("revoked");
    if (this.#run && this.isRunning(at)) {
      for (const payment of this.payments) {
        if (payment.to > text(at)) payment.revoked ??= text(at);
      }
      this.#run.revokedAt = at;
    }
    this.#isApprovedWithoutEnd = false;
  }

  #start(at: number, payment: { plan: PlanId; months: number; event: string }): void {
    const { plan, months, event } = payment;
    const plans = Array.from({ length: months }, () => plan);
    this.#run = { startedAt: at, plans, credited: 0, doneUntil: at };
    this.#isApprovedWithoutEnd = false;
    this.payments.push({ plan, months, from: text(at), to: text(this.endsAt) });
    this.#record(event, event);
    this.settle(at);
  }

  #grantMonth(run: Run): number {
    const startsAt = monthAfter(run.startedAt, run.credited);
    const { imageCredits } = planById(run.plans[run.credited] ?? null);
    this.credits.push(`${imageCredits} for ${text(startsAt)}`);
    this.balance += imageCredits;
    run.credited += 1;
    return startsAt;
  }

  #record(event: string, email?: string): void {
    this.events.push(event);
    if (email) this.emails.push(email);
  }
}

const text = (time: number): string => new Date(time).toISOString();

/** The same day and time `months` months later, or the last day of a shorter month. */
function monthAfter(time: number, months: number): number {
  const start = new Date(time);
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(start.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (time % DAY_MS);
}
