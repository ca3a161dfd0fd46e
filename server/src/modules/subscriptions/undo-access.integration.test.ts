import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { noteAccessChange } from "./access-change.ts";
import { AUTOMATIC_APPROVER, acceptProof, addPayment } from "./add-payment.ts";

describe("undoing an approval or a revocation", () => {
  let server: TestServer;
  let admin: UserRecord;
  let user: UserRecord;
  let offsetMs = 0;

  beforeAll(async () => {
    const environment = { RATE_LIMIT: "off" };
    const overrides = { now: () => new Date(Date.now() + offsetMs) };
    server = await startTestServer({ databaseUri: testDatabaseUri(), environment, overrides });
    admin = await createUser(server.database, { role: "admin", approved: true });
  });
  beforeEach(async () => {
    offsetMs = 0;
    user = await createUser(server.database, { imageCredits: 7 });
    await server.database.jobs.deleteMany();
  });
  afterAll(async () => {
    await server.deps.background.settled();
    await server.stop();
  });

  const tokenOf = (of: UserRecord) => signTokenFor(of, server.deps.settings);
  const act = async (path: string, json: object = {}, as = admin) =>
    (await server.call(`/admin/${path}/${user.username}`, { token: tokenOf(as), json })).status;
  const stored = async () => {
    const found = await server.database.users.findById(user._id).lean();
    const { approved, subscription, imageCredits, allowImageUpload } = found ?? expect.fail("gone");
    return { approved, subscription, imageCredits, allowImageUpload };
  };
  const asBefore = {
    approved: false,
    subscription: undefined,
    imageCredits: 7,
    allowImageUpload: false,
  };
  const periods = () => server.database.billingPeriods.find({ userId: user._id }).lean();
  const submitProof = async () =>
    server.call("/submit-payment-proof", {
      method: "POST",
      token: tokenOf(user),
      body: multipartForm({
        sender_name: "Jane",
        plan: "pro",
        proof_image: await plainImage().png().toBuffer(),
      }),
    });

  it("takes back a subscription with its payment, credits and email, and the proof waits again", async () => {
    await submitProof();
    expect(await act("approve")).toBe(200);
    expect(await stored()).toMatchObject({
      approved: true,
      imageCredits: 207,
      allowImageUpload: true,
    });
    expect(await server.database.jobs.countDocuments({ name: "send-email" })).toBe(1);
    expect(await act("undo")).toBe(200);
    expect(await stored()).toEqual(asBefore);
    expect(await periods()).toEqual([]);
    expect(await server.database.jobs.countDocuments({ name: "send-email" })).toBe(0);
    const proof = await server.database.paymentProofs.findOne({ userId: user._id }).lean();
    expect(proof).not.toHaveProperty("reviewedAt");
    expect(await act("undo")).toBe(404);
    offsetMs = 1_000;
    expect(await act("approve")).toBe(200);
    expect(await stored()).toMatchObject({
      approved: true,
      imageCredits: 207,
      allowImageUpload: true,
    });
  });

  it("gives a revoked subscription back as it was", async () => {
    await act("approve", { plan: "trader", months: 2 });
    const before = await stored();
    offsetMs = 200_000;
    expect(await act("revoke")).toBe(200);
    expect((await stored()).subscription?.status).toBe("ended");
    expect(await act("undo")).toBe(200);
    expect(await stored()).toEqual(before);
    expect((await periods())[0]).not.toHaveProperty("revokedAt");
    const log = await server.database.securityLog
      .find({ type: "approval:changed", user: user.username })
      .sort({ _id: -1 })
      .lean();
    expect(log[0]?.details).toEqual({ approved: true, undone: true });
  });

  it("takes an automatic approval back whenever an administrator looks at it", async () => {
    await submitProof();
    const { database } = server;
    const lockKeys = userStream(user._id);
    const automatic = { transaction: "0xabc" };
    const terms = {
      plan: "pro" as const,
      months: 1,
      graceDays: 3,
      reason: "subscription-started" as const,
    };
    await commit(database, { lockKeys, now: server.deps.now }, async (uow) => {
      const proof = await acceptProof(database, uow, user._id);
      const by = AUTOMATIC_APPROVER;
      const after = await addPayment(database, uow, user, { ...terms, by, proof, automatic });
      await noteAccessChange(database, uow, { before: user, after, by, proof });
    });
    expect(await stored()).toMatchObject({
      approved: true,
      imageCredits: 207,
      allowImageUpload: true,
    });
    offsetMs = 3_600_000;
    expect(await act("undo")).toBe(200);
    expect(await stored()).toEqual(asBefore);
    expect(await periods()).toEqual([]);
    const proof = await database.paymentProofs.findOne({ userId: user._id }).lean();
    expect(proof).toMatchObject({ verification: { state: "manual", problem: "undone" } });
    expect(proof).not.toHaveProperty("reviewedAt");
  });

  it("is possible for a moment, for the same administrator, and if nothing changed since", async () => {
    await act("approve");
    const other = await createUser(server.database, { role: "admin", approved: true });
    expect(await act("undo", {}, other)).toBe(404);
    offsetMs = 130_000;
    expect(await act("undo")).toBe(404);
    await act("revoke");
    await act("approve", { plan: "starter" });
    await act("renew", { plan: "starter" });
    expect(await act("undo")).toBe(404);
    expect((await stored()).subscription?.months).toBe(2);
  });
});
