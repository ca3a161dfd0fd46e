import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { subscriptionInGrace } from "@shared/testing/factories.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness } from "./harness/harness.ts";
import { until } from "./harness/until.ts";

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
    const subscription = subscriptionInGrace(accessEndsAt);
    const { userId: _id, token } = trader;
    await database.users.updateOne({ _id }, { $set: { subscription } });
    const endedAt = new Promise<number>((resolve) => {
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
    const delayMs = (await endedAt) - accessEndsAt.getTime();
    expect(delayMs).toBeGreaterThanOrEqual(0);
    expect(delayMs).toBeLessThanOrEqual(MAX_DELAY_MS);
    // Their signals are compared with what REST shows them.
    await database.users.updateOne({ _id }, { $set: { approved: true } });
    await assertInvariants(harness);
  });
});
