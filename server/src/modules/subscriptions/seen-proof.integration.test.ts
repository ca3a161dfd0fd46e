import { meSchema } from "@shared/contract/account.ts";
import { userListSchema } from "@shared/contract/admin.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("approvals and renewals accept only the proof that the administrator has seen", () => {
  const databaseUri = testDatabaseUri();
  let server: TestServer;
  let otherServer: TestServer;
  let root: UserRecord;
  let ann: UserRecord;
  let image: Buffer;
  beforeAll(async () => {
    const options = { databaseUri, environment: { RATE_LIMIT: "off" } };
    [server, otherServer] = await Promise.all([startTestServer(options), startTestServer(options)]);
    root = await createUser(server.database, { role: "admin", approved: true });
    image = await plainImage().png().toBuffer();
  });
  beforeEach(async () => {
    ann = await createUser(server.database);
    // Each proof is compared with all before.
    await server.database.proofFingerprints.deleteMany();
  });
  afterAll(() => Promise.all([server.stop(), otherServer.stop()]));

  const call = async (
    as: UserRecord,
    path: string,
    { on = server, ...init }: RequestInit & { json?: unknown; on?: TestServer } = {},
  ) => {
    const answer = await on.call(path, { token: signTokenFor(as, server.deps.settings), ...init });
    const body: unknown = await answer.json();
    return { status: answer.status, body };
  };
  const approve = (json: object) => call(root, `/admin/approve/${ann.username}`, { json });
  const renew = (json: object, key?: string) =>
    call(root, `/admin/renew/${ann.username}`, {
      json,
      ...(key && { headers: { "Idempotency-Key": key } }),
    });
  const submitProof = (fields: Record<string, string> = {}, on = server) => {
    const body = multipartForm({ sender_name: "Ann", proof_image: image, ...fields });
    return call(ann, "/submit-payment-proof", { method: "POST", body, on });
  };
  const me = async () => meSchema.parse((await call(ann, "/me")).body);
  const shown = async () => {
    const path = `/admin/list-users?search=${ann.username}`;
    const { users } = userListSchema.parse((await call(root, path)).body);
    return users.find(({ username }) => username === ann.username)?.payment_proof?.id ?? "";
  };
  const stored = async () => {
    const proofs = await server.database.paymentProofs.find({ userId: ann._id }).lean();
    return proofs.filter(({ reviewedAt }) => reviewedAt).map(({ _id }) => _id.toString());
  };
  const isChanged = { status: 409, body: { code: "proof-changed" } };
  const unchanged = async () => {
    expect(await stored()).toEqual([]);
    expect((await me()).subscription).toBeNull();
    expect((await me()).approved).toBe(false);
  };

  it("which all of them show by its id", async () => {
    await submitProof();
    const id = await shown();
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect((await me()).payment_proof?.id).toBe(id);
    const submitted = await server.database.events
      .findOne({ name: "proof:submitted" })
      .sort({ seq: -1 })
      .lean();
    expect(submitted?.data).toMatchObject({ id });
    expect(await approve({ proof_id: id })).toMatchObject({ status: 200 });
    expect(await stored()).toEqual([id]);
    expect(await approve({ proof_id: id })).toMatchObject({ status: 200 });
  });

  it.each([
    ["approving", approve],
    ["approving with a plan", (json: object) => approve({ plan: "pro", ...json })],
    ["renewing", (json: object) => renew({ plan: "pro", months: 2, ...json }, "press-1")],
    [
      "approving by a form",
      (json: Record<string, string>) =>
        call(root, `/admin/approve/${ann.username}`, {
          method: "POST",
          body: new URLSearchParams(json),
        }),
    ],
  ])("%s", async (_, accept) => {
    await submitProof({ sender_name: "Ann", plan: "pro" });
    const seen = await shown();
    await submitProof({ sender_name: "Ann, again", plan: "institutional" });
    expect(await accept({ proof_id: seen })).toMatchObject(isChanged);
    await unchanged();
    const next = await shown();
    expect(next).not.toBe(seen);
    expect(await accept({ proof_id: next })).toMatchObject({ status: 200 });
    expect(await stored()).toEqual([next]);
  });

  it("and none, if none was shown", async () => {
    expect(await approve({ proof_id: null })).toMatchObject({ status: 200 });
    await call(root, `/admin/revoke/${ann.username}`, { method: "POST" });
    await submitProof({ plan: "pro" });
    expect(await approve({ proof_id: null })).toMatchObject(isChanged);
    expect(await renew({ plan: "pro", proof_id: "" })).toMatchObject(isChanged);
    await unchanged();
  });

  it("and not one that was deleted meanwhile", async () => {
    await submitProof();
    const seen = await shown();
    await call(root, `/admin/delete-proof/${ann.username}`, { method: "POST" });
    expect(await approve({ proof_id: seen })).toMatchObject(isChanged);
    await unchanged();
  });

  it("also if it is replaced at the same moment, on another server", async () => {
    const outcomes = new Set<number>();
    for (const _ of Array(6)) {
      ann = await createUser(server.database);
      await submitProof();
      const seen = await shown();
      const [{ status }] = await Promise.all([
        renew({ plan: "pro", proof_id: seen }),
        submitProof({}, otherServer),
      ]);
      outcomes.add(status);
      const accepted = await stored();
      expect(accepted).toEqual(status === 200 ? [seen] : []);
    }
    expect([...outcomes].every((status) => status === 200 || status === 409)).toBe(true);
  });
});
