import { planById } from "@shared/contract/plans.ts";
import { type PaymentList, paymentListSchema } from "@shared/contract/subscription.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("the list of payments", () => {
  let server: TestServer;
  let admin: UserRecord;

  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    const { database } = server;
    admin = await createUser(database, { role: "admin", approved: true });
    const ann = await createUser(database, { username: "ann" });
    const bob = await createUser(database, { username: "bob" });
    const rows = [
      [ann, "pro", 1, "2026-09-30T23:00:00Z"],
      [bob, "starter", 3, "2026-10-01T00:00:00Z"],
      [ann, "trader", 2, "2026-10-20T00:00:00Z"],
    ] as const;
    for (const [index, [user, plan, months, at]] of rows.entries()) {
      const createdAt = new Date(at);
      await database.billingPeriods.create({
        _id: new Types.ObjectId(),
        userId: user._id,
        plan,
        months,
        monthlyUsd: planById(plan).monthlyUsd,
        imageCredits: planById(plan).imageCredits,
        subscribedAt: createdAt,
        firstMonth: index,
        startedAt: createdAt,
        endsAt: new Date(createdAt.getTime() + months * 30 * 86_400_000),
        by: "root",
        createdAt,
        ...(index === 1 && { proofId: new Types.ObjectId() }),
      });
    }
  });
  afterAll(() => server.stop());

  const get = (path: string) =>
    server.call(`/admin/${path}`, { token: signTokenFor(admin, server.deps.settings) });
  const list = async (query = ""): Promise<PaymentList> =>
    paymentListSchema.parse(await (await get(`payments?${query}`)).json());

  it("is newest first, in pages, with the totals of each month in UTC", async () => {
    const first = await list("limit=2");
    expect(first.payments).toMatchObject([
      { username: "ann", plan: "trader", price_usd: 200, by: "root", proof: null },
      { username: "bob", plan: "starter", price_usd: 150 },
    ]);
    expect(first).toMatchObject({
      total: 3,
      months: [
        { month: "2026-10", payments: 2, revenue_usd: 350 },
        { month: "2026-09", payments: 1, revenue_usd: 150 },
      ],
    });
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    expect(second.payments).toMatchObject([{ username: "ann", plan: "pro" }]);
    expect(second).toMatchObject({ next_cursor: null, total: 3 });
  });

  it.each([
    ["search=AN", ["trader", "pro"]],
    ["search=unknown", []],
    ["plan=starter", ["starter"]],
    ["proof=with", ["starter"]],
    ["proof=without", ["trader", "pro"]],
    ["from=2026-10-01T00:00:00Z", ["trader", "starter"]],
    ["to=2026-10-01T00:00:00Z", ["pro"]],
    ["search=ann&from=2026-10-01T00:00:00Z&plan=trader", ["trader"]],
  ])("selects by %s, as do its totals and the export", async (query, plans) => {
    const { payments, total, months } = await list(query);
    expect(payments.map(({ plan }) => plan)).toEqual(plans);
    expect(total).toBe(plans.length);
    expect(months.reduce((sum, month) => sum + month.payments, 0)).toBe(plans.length);
    const csv = await (await get(`subscriptions/export?${query}`)).text();
    const lines = csv.trim().split("\r\n").slice(1);
    expect(lines.map((line) => line.split(",")[2])).toEqual(plans.toReversed());
  });

  it("refuses an unknown plan, day or state of the proof", async () => {
    for (const query of ["plan=gold", "from=yesterday", "proof=maybe"]) {
      expect((await get(`payments?${query}`)).status).toBe(422);
    }
  });
});
