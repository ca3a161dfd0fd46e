import { eventSchemas } from "@shared/contract/events.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness } from "./harness/harness.ts";
import { SimulatedYear } from "./harness/simulated-year.ts";
import { until } from "./harness/until.ts";

const SUBSCRIPTIONS = 500;
const YEAR_TIMEOUT_MS = 1_200_000;

describe(`a year of ${SUBSCRIPTIONS} subscriptions`, () => {
  let year: SimulatedYear;
  beforeAll(async () => {
    year = await SimulatedYear.start(SUBSCRIPTIONS);
  }, YEAR_TIMEOUT_MS);
  afterAll(() => year.stop());

  it(
    "has everything once, in order and on time, whatever happens to clock and workers",
    async () => {
      await year.run();
      const counts = new Map<string, number>();
      for (const { user, model } of year.everybody) {
        const { balance, events, emails, credits, payments } = model;
        expect(await year.readStored(user)).toEqual({ balance, events, emails, credits, payments });
        for (const event of events) counts.set(event, (counts.get(event) ?? 0) + 1);
      }
      console.log({ deaths: year.deaths, ...Object.fromEntries(counts) });
    },
    YEAR_TIMEOUT_MS,
  );
});

const NOTICE_MS = 15_000;
const MAX_DELAY_MS = 1_000;

describe("at the end of a subscription", () => {
  let harness: FaultHarness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());

  it("REST refuses at once, and an open socket learns it within a second", async () => {
    const { database, servers } = harness;
    const trader = await harness.signUp();
    const client = await trader.connect(servers.b);
    const accessEndsAt = new Date(Date.now() + NOTICE_MS);
    const subscription = {
      ...{ plan: "pro", status: "grace", startedAt: new Date(0), months: 1, creditedMonths: 1 },
      ...{ endsAt: new Date(1), accessEndsAt, remindedDays: 1, nextDueAt: accessEndsAt },
    } as const;
    const { userId: _id, token } = trader;
    await database.users.updateOne({ _id }, { $set: { subscription } });
    const heard = new Promise<number>((resolve) => {
      client.socket.on("account:updated", ({ data }) => {
        const { reason, approved } = eventSchemas["account:updated"].parse(data);
        if (reason === "subscription-ended" && !approved) resolve(Date.now());
      });
    });
    await trader.insist(servers.a, await trader.ask(servers.a, harness.nextMarket()));
    await until(() => Date.now() >= accessEndsAt.getTime(), { what: "the end" });
    const asked = { token, body: harness.nextMarket() };
    const refusal = { status: 403, body: { code: "not-approved" } };
    expect(await callApi(`${servers.a.url}/get-signal`, asked)).toMatchObject(refusal);
    const delayMs = (await heard) - accessEndsAt.getTime();
    expect(delayMs).toBeGreaterThanOrEqual(0);
    expect(delayMs).toBeLessThanOrEqual(MAX_DELAY_MS);
    // Their signals are compared with what REST shows them.
    await database.users.updateOne({ _id }, { $set: { approved: true } });
    await assertInvariants(harness);
  });
});
