import { meSchema } from "@shared/contract/account.ts";
import { userListSchema } from "@shared/contract/admin.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("rejecting a payment proof", () => {
  let server: TestServer;
  let admin: UserRecord;
  let user: UserRecord;
  let receipt: Buffer;

  beforeAll(async () => {
    const environment = { RATE_LIMIT: "off" };
    server = await startTestServer({ databaseUri: testDatabaseUri(), environment });
    admin = await createUser(server.database, { role: "admin", approved: true });
    receipt = await plainImage().png().toBuffer();
  });
  beforeEach(async () => {
    user = await createUser(server.database);
    await server.database.jobs.deleteMany();
    await server.database.paymentProofs.deleteMany();
  });
  afterAll(async () => {
    await server.deps.background.settled();
    await server.stop();
  });

  const tokenOf = (of: UserRecord) => signTokenFor(of, server.deps.settings);
  const submit = () =>
    server.call("/submit-payment-proof", {
      method: "POST",
      token: tokenOf(user),
      body: multipartForm({ sender_name: "Jane Miller", plan: "pro", proof_image: receipt }),
    });
  const act = (path: string, json: object, as = admin) =>
    server.call(`/admin/${path}/${user.username}`, { token: tokenOf(as), json });
  const reject = (json: object) => act("reject-proof", json);
  const proofOf = async () => {
    const me = await server.call("/me", { token: tokenOf(user) });
    return meSchema.parse(await me.json()).payment_proof;
  };
  const waitingCount = async () => {
    const list = await server.call("/admin/list-users?status=proof", { token: tokenOf(admin) });
    return userListSchema.parse(await list.json()).total;
  };
  const lastEvent = () =>
    server.database.events
      .findOne({ stream: userStream(user._id) })
      .sort({ seq: -1 })
      .lean();

  it("shows the user the reason, live and by email, and takes the proof from the waiting ones", async () => {
    await submit();
    expect(await waitingCount()).toBe(1);
    const rejection = { reason: "amount-too-low", note: "Paid $50\n<b>of</b> $150" };
    const answer = await reject({ ...rejection, proof_id: (await proofOf())?.id });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      detail: `The payment proof of ${user.username} is rejected.`,
    });
    expect(await proofOf()).toMatchObject({ sender_name: "Jane Miller", rejection });
    expect(await waitingCount()).toBe(0);
    expect(await lastEvent()).toMatchObject({
      name: "account:updated",
      data: { reason: "proof-rejected", proof_rejection: rejection, approved: false },
    });
    expect(await server.database.jobs.findOne({ name: "send-email" }).lean()).toMatchObject({
      data: { userId: user._id.toString(), kind: "proof-rejected", rejection },
    });
    const logged = await server.database.securityLog.findOne({ type: "proof:rejected" }).lean();
    expect(logged).toMatchObject({ user: user.username, actor: admin.username });
  });

  it("asks for a new proof, which waits again and says nothing of the former one", async () => {
    await submit();
    await reject({ reason: "unreadable" });
    expect((await submit()).status).toBe(201);
    const proof = await proofOf();
    expect(proof).not.toHaveProperty("rejection");
    expect(proof).not.toHaveProperty("reviewed_at");
    expect(await waitingCount()).toBe(1);
  });

  it("needs a reason, a note with other, and no more than 500 characters", async () => {
    await submit();
    for (const [json, field] of [
      [{}, "reason"],
      [{ reason: "ugly" }, "reason"],
      [{ reason: "other" }, "note"],
      [{ reason: "other", note: " \u0007 " }, "note"],
      [{ reason: "duplicate", note: "x".repeat(501) }, "note"],
    ] as const) {
      const answer = await reject(json);
      expect(answer.status).toBe(422);
      const { errors } = errorBodySchema.parse(await answer.json());
      expect(errors?.map((error) => error.field)).toEqual([field]);
    }
    expect(await waitingCount()).toBe(1);
  });

  it("changes nothing if another proof was submitted since, or none waits", async () => {
    expect((await reject({ reason: "duplicate" })).status).toBe(404);
    await submit();
    const seen = (await proofOf())?.id;
    await submit();
    const late = await reject({ reason: "duplicate", proof_id: seen });
    expect(late.status).toBe(409);
    expect(errorBodySchema.parse(await late.json()).code).toBe("proof-changed");
    expect((await reject({ reason: "duplicate" })).status).toBe(200);
    expect((await reject({ reason: "duplicate" })).status).toBe(404);
  });

  it("can be taken back by approving the user, with the plan that the proof names", async () => {
    await submit();
    await reject({ reason: "unreadable" });
    const id = (await proofOf())?.id;
    expect((await act("approve", { proof_id: id })).status).toBe(200);
    const proof = await proofOf();
    expect(proof).not.toHaveProperty("rejection");
    expect(proof).toHaveProperty("reviewed_at");
    const changed = await server.database.users.findById(user._id).lean();
    expect(changed?.subscription?.plan).toBe("pro");
  });

  it("is for administrators only", async () => {
    await submit();
    expect((await act("reject-proof", { reason: "duplicate" }, user)).status).toBe(403);
  });
});
