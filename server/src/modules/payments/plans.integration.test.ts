import { errorBodySchema } from "@shared/contract/errors.ts";
import { offeredPlansSchema } from "@shared/contract/plan-terms.ts";
import { ownSubscriptionSchema } from "@shared/contract/subscription.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, newSession, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const terms = { monthly_usd: 1_250, image_credits: 300, support: "A person to call" };

describe("the plans", () => {
  let server: TestServer;
  let admin: UserRecord;
  let ann: UserRecord;

  beforeAll(async () => {
    const environment = { RATE_LIMIT: "off" };
    server = await startTestServer({ databaseUri: testDatabaseUri(), environment });
  });
  beforeEach(async () => {
    const { database } = server;
    const models = [database.users, database.identities, database.plans, database.billingPeriods];
    for (const model of models) await model.deleteMany();
    admin = await createUser(database, { username: "root", role: "admin", approved: true });
    ann = await createUser(database, { username: "ann" });
  });
  afterAll(() => server.stop());

  const as = (user: UserRecord) => ({ token: signTokenFor(user, server.deps.settings) });
  const shown = async () =>
    offeredPlansSchema.parse(await (await server.call("/plans")).json()).plans;
  const save = (json: object, id = "pro") =>
    server.call(`/admin/plans/${id}`, { method: "PUT", ...as(admin), json });
  const accept = async (path: string) =>
    expect(
      (await server.call(`/admin/${path}/ann`, { ...as(admin), json: { plan: "pro" } })).status,
    ).toBe(200);
  const own = async () =>
    ownSubscriptionSchema.parse(await (await server.call("/me/subscription", as(ann))).json());

  it("are those of the product until an administrator changes one", async () => {
    expect(
      (await shown()).map(({ id, monthly_usd, image_credits }) => [id, monthly_usd, image_credits]),
    ).toEqual([
      ["starter", 50, 50],
      ["trader", 100, 120],
      ["pro", 150, 200],
      ["institutional", 200, 500],
    ]);
    expect((await save(terms)).status).toBe(200);
    const plans = await shown();
    expect(plans[2]).toEqual({ id: "pro", name: "Pro", ...terms });
    expect(plans[1]).toMatchObject({ id: "trader", monthly_usd: 100 });
  });

  it("cost and contain what they did when a payment was accepted", async () => {
    await accept("approve");
    await save(terms);
    await accept("renew");
    const { periods, next_credits } = await own();
    expect(periods.map(({ price_usd }) => price_usd)).toEqual([1_250, 150]);
    expect(next_credits?.credits).toBe(300);
    const user = await server.database.users.findById(ann._id).orFail().lean();
    expect(user.imageCredits).toBe(ann.imageCredits + 200);
  });

  it("are in the security log with every change, and saved again change nothing", async () => {
    await save(terms);
    const savedAt = new Date();
    await save({ ...terms, monthly_usd: 150, image_credits: 10, support: "None" });
    await save({ ...terms, monthly_usd: 150, image_credits: 10, support: "None" });
    const filter = { type: "plan:changed", at: { $gte: savedAt } } as const;
    const log = await server.database.securityLog.find(filter).lean();
    const changes = log.map(({ actor, details }) => ({ actor, ...details }));
    expect(changes).toHaveLength(3);
    expect(changes).toContainEqual({
      actor: "root",
      plan: "pro",
      field: "price",
      before: 1_250,
      after: 150,
    });
  });

  it.each([
    ["monthly_usd", 0],
    ["monthly_usd", 99.5],
    ["monthly_usd", "free"],
    ["image_credits", -1],
    ["support", ""],
    ["support", "two\nlines"],
    ["support", "x".repeat(61)],
  ])("are refused with %s = %j", async (field, value) => {
    const answer = await save({ ...terms, [field]: value });
    expect(answer.status).toBe(422);
    const { errors } = errorBodySchema.parse(await answer.json());
    expect(errors?.map((error) => error.field)).toEqual([field]);
  });

  it("are four: another cannot be added", async () => {
    expect((await save(terms, "gold")).status).toBe(422);
    expect(await shown()).toHaveLength(4);
  });

  it("are changed only by an administrator who signed in lately, or enters the password", async () => {
    const createdAt = new Date(Date.now() - 11 * 60_000);
    const id = admin.sessions[0]?.id ?? "";
    const session = newSession({ createdAt, lastSeenAt: new Date(), id });
    await server.database.users.updateOne({ _id: admin._id }, { $set: { sessions: [session] } });
    const refused = await save(terms);
    expect(errorBodySchema.parse(await refused.json()).code).toBe("reauthentication-required");
    expect((await shown())[2]?.monthly_usd).toBe(150);
  });
});
