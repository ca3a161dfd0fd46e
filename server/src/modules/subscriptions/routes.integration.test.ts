import { meSchema } from "@shared/contract/account.ts";
import { userDetailsSchema, userListSchema } from "@shared/contract/admin.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { ownSubscriptionSchema, subscriptionSummarySchema } from "@shared/contract/subscription.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { SEND_EMAIL } from "@shared/domain/email-work.ts";
import { settleSubscription } from "@shared/domain/subscriptions.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, newSession, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { sessionOf } from "../../testing/session-of.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { renewSubscription } from "./manage-subscriptions.ts";

const reasonSchema = z.object({ reason: z.string() });

describe("subscriptions", () => {
  const databaseUri = testDatabaseUri();
  let now: Date;
  let server: TestServer;
  let otherServer: TestServer;
  let root: UserRecord;
  let ruth: UserRecord;
  let ann: UserRecord;
  let image: Buffer;
  /** By user, when their sessions were used last. */
  const usedAt = new Map<string, Date>();

  beforeAll(async () => {
    const options = { databaseUri, environment: { RATE_LIMIT: "off" } };
    const overrides = { now: () => now };
    server = await startTestServer({ ...options, overrides });
    otherServer = await startTestServer({ ...options, overrides });
    const { database } = server;
    root = await createUser(database, { username: "root", role: "admin", approved: true });
    ruth = await createUser(database, { username: "ruth", role: "admin", approved: true });
    image = await plainImage().png().toBuffer();
  });
  beforeEach(async () => {
    now = new Date("2027-01-31T12:00:00Z");
    const { users, identities } = server.database;
    await users.deleteMany({ role: "user" });
    await identities.deleteMany({ _id: { $nin: [root.identityId, ruth.identityId] } });
    ann = await createUser(server.database, { username: "ann" });
  });
  afterEach(async () => {
    await Promise.all([server, otherServer].map(({ deps }) => deps.background.settled()));
    const { billingPeriods, jobs, paymentProofs, proofFingerprints } = server.database;
    for (const model of [billingPeriods, jobs, paymentProofs, proofFingerprints]) {
      await model.deleteMany();
    }
  });
  afterAll(() => Promise.all([server.stop(), otherServer.stop()]));

  /** Calls as a user whose session is in use at the time of the servers. */
  async function call(
    as: UserRecord,
    path: string,
    options: { on?: TestServer } & RequestInit & { json?: unknown } = {},
  ) {
    const { on = server, ...init } = options;
    const token = await tokenOf(as);
    const answer = await on.call(path, { token, ...init });
    const body: unknown = await answer.json();
    return { status: answer.status, body };
  }
  async function tokenOf(as: UserRecord): Promise<string> {
    const id = as.sessions[0]?.id ?? "";
    if (usedAt.get(id) !== now) {
      const session = newSession({ createdAt: now, lastSeenAt: now, id });
      await server.database.users.updateOne({ _id: as._id }, { $set: { sessions: [session] } });
      usedAt.set(id, now);
    }
    return signTokenFor(as, server.deps.settings);
  }
  const post = (as: UserRecord, path: string, json: unknown = {}) =>
    call(as, path, { method: "POST", json });
  const approve = (json?: unknown) => post(root, "/admin/approve/ann", json);
  const renew = (json: unknown, key?: string, by = root) =>
    call(by, "/admin/renew/ann", { json, ...(key && { headers: { "Idempotency-Key": key } }) });
  const submitProof = (fields: Record<string, string> = {}) =>
    call(ann, "/submit-payment-proof", {
      method: "POST",
      body: multipartForm({ sender_name: "Ann", proof_image: image, ...fields }),
    });
  const me = async () => meSchema.parse((await call(ann, "/me")).body);
  const own = async () => ownSubscriptionSchema.parse((await call(ann, "/me/subscription")).body);
  const summary = async () =>
    subscriptionSummarySchema.strict().parse((await call(root, "/admin/subscriptions")).body);
  const listed = async (query = "") =>
    userListSchema.parse((await call(root, `/admin/list-users${query}`)).body).users;
  const reasons = async () => {
    const events = await server.database.events
      .find({ stream: userStream(ann._id), name: "account:updated" })
      .sort({ seq: 1 })
      .lean();
    return events.map(({ data }) => reasonSchema.parse(data).reason);
  };
  const settle = () => {
    const { database } = server;
    return commit(database, { lockKeys: [], now: () => now }, async (uow) => {
      const user = await database.users.findById(ann._id).session(uow.session).lean();
      if (user) await settleSubscription(database, uow, user);
    });
  };
  const balanceAt = async (time: string) => {
    now = new Date(time);
    await settle();
    return (await me()).image_credits;
  };
  const detailOf = (body: unknown) => errorBodySchema.parse(body);

  describe("POST /admin/approve/{username}", () => {
    it("starts a subscription with a plan, and grants the credits of the first month", async () => {
      const approved = { status: 200, body: { detail: "ann is approved." } };
      expect(await approve({ plan: "pro" })).toEqual(approved);
      expect(await me()).toMatchObject({
        approved: true,
        image_credits: 200,
        subscription: {
          plan: "pro",
          status: "active",
          started_at: "2027-01-31T12:00:00.000Z",
          ends_at: "2027-02-28T12:00:00.000Z",
          grace_until: null,
        },
      });
      expect(await reasons()).toEqual(["subscription-started", "credits-granted"]);
      const cards = await server.database.events.find({ stream: ADMINS_STREAM }).lean();
      expect(cards.at(-1)?.data).toMatchObject({ username: "ann", subscription: { plan: "pro" } });
      const log = await server.database.securityLog.find({ user: "ann" }).lean();
      expect(log).toMatchObject([
        { type: "subscription:started", actor: "root", details: { plan: "pro", months: 1 } },
      ]);
    });

    it("allows image upload with a plan, which both sides see, and an administrator can block it", async () => {
      await approve();
      expect(await me()).toMatchObject({ approved: true, allow_image_upload: false });
      await approve({ plan: "pro" });
      expect(await me()).toMatchObject({ allow_image_upload: true, image_credits: 200 });
      const allowed = { allow_image_upload: true };
      const { events, securityLog } = server.database;
      const own = await events.findOne({ "data.reason": "subscription-started" }).lean();
      expect(own?.data).toMatchObject(allowed);
      const cards = await events.find({ stream: ADMINS_STREAM }).lean();
      expect(cards.at(-1)?.data).toMatchObject({ username: "ann", ...allowed });
      const [entry] = await securityLog.find({ type: "subscription:started" }).lean();
      expect(entry?.details).toEqual({ plan: "pro", months: 1, image_upload: true });

      await call(root, "/admin/set-image-access/ann", { method: "POST", json: { allow: false } });
      await renew({ plan: "pro" });
      expect(await me()).toMatchObject({ allow_image_upload: false });
      await call(root, "/admin/set-image-access/ann", { method: "POST", json: { allow: true } });
      expect(await me()).toMatchObject(allowed);
    });

    it.each([
      ["JSON", JSON.stringify({ plan: "starter", months: 24 }), "application/json"],
      ["a form", "plan=starter&months=24", "application/x-www-form-urlencoded"],
    ])("accepts %s", async (_, body, type) => {
      const init = { method: "POST", body, headers: { "Content-Type": type } };
      expect((await call(root, "/admin/approve/ann", init)).status).toBe(200);
      expect((await me()).subscription?.ends_at).toBe("2029-01-31T12:00:00.000Z");
    });

    it("takes the plan of the proof that awaits review, and accepts it", async () => {
      await submitProof({ plan: "trader" });
      expect((await listed("?status=proof"))[0]?.payment_proof).toMatchObject({ plan: "trader" });
      await approve({ months: "2" });
      expect((await me()).subscription).toMatchObject({
        plan: "trader",
        ends_at: "2027-03-31T12:00:00.000Z",
      });
      expect(await listed("?status=proof")).toEqual([]);
    });

    it("prefers the plan that is given", async () => {
      await submitProof({ plan: "trader" });
      await approve({ plan: "starter" });
      expect((await me()).subscription?.plan).toBe("starter");
    });

    it("approves without an end if no plan is named, also without a body", async () => {
      await submitProof();
      expect((await call(root, "/admin/approve/ann", { method: "POST" })).status).toBe(200);
      expect(await me()).toMatchObject({ approved: true, subscription: null, image_credits: 0 });
      expect((await reasons()).at(-1)).toBe("approved");
      now = new Date("2037-01-31T12:00:00Z");
      expect((await me()).approved).toBe(true);
    });

    it("changes nothing while a subscription runs, and refuses another plan", async () => {
      await approve({ plan: "pro" });
      await submitProof({ plan: "trader" });
      const before = await server.database.users.findById(ann._id).lean();
      for (const body of [{}, { plan: "pro" }, { plan: "pro", months: 5 }]) {
        expect((await approve(body)).status).toBe(200);
      }
      const refused = await approve({ plan: "trader" });
      expect(refused.status).toBe(409);
      expect(detailOf(refused.body).code).toBe("subscription-running");
      const after = await server.database.users.findById(ann._id).lean();
      expect(after?.subscription).toEqual(before?.subscription);
      expect(after?.imageCredits).toBe(200);
      expect(await listed("?status=proof")).toHaveLength(1);
    });

    it.each([
      [{ plan: "gold" }, "plan"],
      [{ months: 1 }, "plan"],
      [{ plan: "pro", months: 0 }, "months"],
      [{ plan: "pro", months: 25 }, "months"],
      [{ plan: "pro", months: 1.5 }, "months"],
      [{ plan: "pro", months: "1e1" }, "months"],
      [{ plan: "pro", months: true }, "months"],
    ])("refuses %j", async (body, field) => {
      for (const path of ["approve", "renew"]) {
        const refused = await post(root, `/admin/${path}/ann`, body);
        expect(refused.status).toBe(422);
        expect(detailOf(refused.body)).toMatchObject({
          code: "invalid-input",
          errors: [{ field }],
        });
      }
      expect(await me()).toMatchObject({ approved: false, subscription: null });
    });

    it("starts again after the end", async () => {
      await approve({ plan: "pro" });
      now = new Date("2027-04-15T12:00:00Z");
      await approve({ plan: "starter" });
      expect((await me()).subscription).toMatchObject({
        plan: "starter",
        status: "active",
        started_at: "2027-04-15T12:00:00.000Z",
      });
      expect((await reasons()).slice(-3)).toEqual([
        "subscription-ended",
        "subscription-started",
        "credits-granted",
      ]);
    });
  });

  describe("the end of a subscription", () => {
    it("is refused at once by the API, whether or not a worker runs", async () => {
      await approve({ plan: "pro" });
      const history = async () => (await call(ann, "/signal-history")).status;
      now = new Date("2027-02-28T11:59:59.999Z");
      expect((await me()).subscription).toMatchObject({ status: "active", grace_until: null });
      now = new Date("2027-02-28T12:00:00Z");
      expect((await me()).subscription).toMatchObject({
        status: "grace",
        ends_at: "2027-02-28T12:00:00.000Z",
        grace_until: "2027-03-03T12:00:00.000Z",
      });
      now = new Date("2027-03-03T11:59:59.999Z");
      expect(await history()).toBe(200);
      now = new Date("2027-03-03T12:00:00Z");
      expect(await history()).toBe(403);
      const refused = await call(ann, "/signal-history");
      expect(detailOf(refused.body)).toMatchObject({
        code: "not-approved",
        detail: "Your subscription has ended. Renew it to continue.",
      });
      expect(await me()).toMatchObject({
        approved: false,
        subscription: { status: "ended", grace_until: null },
      });
      expect((await listed("?search=ann"))[0]).toMatchObject({ approved: false });
      const json = { username: "ann", password: TEST_PASSWORD };
      expect((await call(ann, "/login", { json })).body).toMatchObject({ approved: false });
      await settle();
      expect((await reasons()).at(-1)).toBe("subscription-ended");
      expect(await history()).toBe(403);
    });

    it("comes with a revocation at once, which deletes nothing", async () => {
      await approve({ plan: "pro", months: 3 });
      now = new Date("2027-02-10T00:00:00Z");
      for (const _ of [1, 2]) {
        expect((await post(root, "/admin/revoke/ann")).status).toBe(200);
      }
      expect(await me()).toMatchObject({
        approved: false,
        image_credits: 200,
        subscription: { status: "ended", ends_at: "2027-02-10T00:00:00.000Z", grace_until: null },
      });
      expect((await reasons()).filter((reason) => reason === "revoked")).toHaveLength(1);
      expect((await own()).periods).toMatchObject([{ revoked_at: "2027-02-10T00:00:00.000Z" }]);
      expect(await balanceAt("2027-06-01T00:00:00Z")).toBe(200);
      await approve();
      expect(await me()).toMatchObject({ approved: true, subscription: { status: "ended" } });
    });
  });

  describe("POST /admin/renew/{username}", () => {
    it("continues from the end, on the day of the start", async () => {
      await approve({ plan: "pro" });
      now = new Date("2027-02-20T00:00:00Z");
      expect(await renew({ plan: "pro", months: 1 })).toEqual({
        status: 200,
        body: { detail: "The subscription of ann runs until 31 March 2027." },
      });
      expect(await me()).toMatchObject({
        image_credits: 200,
        subscription: {
          started_at: "2027-01-31T12:00:00.000Z",
          ends_at: "2027-03-31T12:00:00.000Z",
        },
      });
      expect((await reasons()).at(-1)).toBe("subscription-renewed");
      expect(await balanceAt("2027-02-28T12:00:00Z")).toBe(400);
    });

    it("grants the credits of the month that has started if it comes during grace", async () => {
      await approve({ plan: "pro" });
      now = new Date("2027-03-02T00:00:00Z");
      await renew({ plan: "trader", months: 1 });
      expect(await me()).toMatchObject({
        approved: true,
        image_credits: 320,
        subscription: {
          plan: "trader",
          status: "active",
          ends_at: "2027-03-31T12:00:00.000Z",
          grace_until: null,
        },
      });
    });

    it("continues from now after the end", async () => {
      await approve({ plan: "pro" });
      now = new Date("2027-03-15T08:00:00Z");
      await renew({ plan: "pro", months: 2 });
      expect(await me()).toMatchObject({
        approved: true,
        image_credits: 400,
        subscription: { status: "active", ends_at: "2027-05-15T08:00:00.000Z" },
      });
      expect(await reasons()).toContain("subscription-renewed");
    });

    it("starts a subscription if there is none", async () => {
      await renew({ plan: "starter", months: 1 });
      expect(await me()).toMatchObject({
        approved: true,
        image_credits: 50,
        subscription: { plan: "starter" },
      });
      expect(await reasons()).toEqual(["subscription-started", "credits-granted"]);
    });

    it("keeps the credits of the earlier plan for the months that it paid for", async () => {
      await approve({ plan: "starter", months: 2 });
      await renew({ plan: "pro", months: 1 });
      expect(await balanceAt("2027-02-28T12:00:00Z")).toBe(100);
      expect((await own()).next_credits).toEqual({ at: "2027-03-31T12:00:00.000Z", credits: 200 });
      expect(await balanceAt("2027-03-31T12:00:00Z")).toBe(300);
      expect(await own()).toMatchObject({ next_credits: null, subscription: { plan: "pro" } });
    });

    it("counts once for a key of an administrator and a user, for a day", async () => {
      await approve({ plan: "pro" });
      const endsAt = async () => (await me()).subscription?.ends_at.slice(0, 10);
      const terms = { plan: "pro", months: 1 };
      const answers = [await renew(terms, "a key"), await renew(terms, "a-key")];
      expect(answers.map(({ status }) => status)).toEqual([422, 200]);
      const repeated = await renew(terms, "a-key");
      expect(repeated).toEqual(answers[1]);
      const other = await renew({ ...terms, months: 12 }, "a-key");
      expect(other).toMatchObject({ status: 409, body: { code: "idempotency-conflict" } });
      expect(await endsAt()).toBe("2027-03-31");
      await renew(terms, "a-key", ruth);
      expect(await endsAt()).toBe("2027-04-30");
      now = new Date(now.getTime() + 24 * 3_600_000);
      await renew(terms, "a-key");
      expect(await endsAt()).toBe("2027-05-31");
    });

    it("adds one period if two administrators click twice at the same time, on two servers", async () => {
      await approve({ plan: "pro" });
      const tokens = [await tokenOf(root), await tokenOf(ruth)];
      const clicks = [0, 1, 0, 1].map((index) =>
        (index === 0 ? server : otherServer).call("/admin/renew/ann", {
          token: tokens[index] ?? "",
          json: { plan: "pro", months: 1, ends_at: "2027-02-28T12:00:00.000Z" },
        }),
      );
      expect((await Promise.all(clicks)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect((await me()).subscription?.ends_at).toBe("2027-03-31T12:00:00.000Z");
      expect((await own()).periods).toHaveLength(2);
      expect(
        await server.database.jobs.countDocuments({
          name: SEND_EMAIL,
          "data.userId": ann._id.toString(),
        }),
      ).toBe(2);
    });

    it("counts once if another renewal commits after it arrived, without any hint of the page", async () => {
      await approve({ plan: "pro" });
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const holding = commit(server.database, { lockKeys: userStream(ann._id) }, () => held);
      const reads = vi.spyOn(server.database.users, "findOne");
      const renewal = { plan: "pro", months: 1 } as const;
      const clicks = [1, 2, 3].map(() =>
        renewSubscription(server.deps, sessionOf(root), "ann", renewal),
      );
      // Each has read the end of the subscription once it reads the user a second time.
      await vi.waitUntil(() => reads.mock.calls.length === 2 * clicks.length, { timeout: 30_000 });
      release();
      await Promise.all([holding, ...clicks]);
      expect((await me()).subscription?.ends_at).toBe("2027-03-31T12:00:00.000Z");
    });
  });

  describe("a proof of payment", () => {
    it("names a plan of the list, and is a renewal during a subscription and its grace", async () => {
      expect((await submitProof({ plan: "gold" })).status).toBe(422);
      await submitProof({ plan: "pro" });
      const first = (await me()).payment_proof;
      expect(first).toMatchObject({ plan: "pro" });
      expect(first).not.toHaveProperty("renewal");
      await approve();
      await submitProof();
      expect((await me()).payment_proof).toMatchObject({ renewal: true });
      now = new Date("2027-03-01T00:00:00Z");
      await submitProof({ plan: "starter" });
      expect((await listed("?status=proof"))[0]?.payment_proof).toMatchObject({
        plan: "starter",
        renewal: true,
      });
      now = new Date("2027-03-10T00:00:00Z");
      await submitProof();
      expect((await me()).payment_proof).not.toHaveProperty("renewal");
    });

    it("stays with the period that it paid for, and is deleted with the account", async () => {
      await submitProof({ plan: "pro" });
      await approve();
      now = new Date("2027-02-20T00:00:00Z");
      await submitProof({ plan: "trader" });
      await renew({ months: 1 });
      await submitProof({ plan: "trader" });
      const { periods } = await own();
      expect(periods).toMatchObject([
        { plan: "trader", price_usd: 100, proof: { submitted_at: "2027-02-20T00:00:00.000Z" } },
        { plan: "pro", price_usd: 150, proof: { submitted_at: "2027-01-31T12:00:00.000Z" } },
      ]);
      for (const { proof } of periods) {
        const { pathname, search } = new URL(proof?.url ?? "");
        expect((await server.call(pathname + search)).status).toBe(200);
      }
      const details = userDetailsSchema.parse((await call(root, "/admin/users/ann")).body);
      expect(details.periods.map(({ plan }) => plan)).toEqual(["trader", "pro"]);
      const data = await server.call("/me/data", { token: await tokenOf(ann) });
      expect(await data.json()).toMatchObject({
        account: { subscription: { plan: "trader" } },
        billing_periods: [{ plan: "pro" }, { plan: "trader" }],
      });

      const files = server.database.connection.collection("payment_proofs.files");
      const fileIds = await server.database.paymentProofs.distinct("_id", { userId: ann._id });
      expect(fileIds).toHaveLength(3);
      expect((await post(root, "/admin/delete-user/ann")).status).toBe(200);
      const { billingPeriods, jobs, paymentProofs } = server.database;
      const left = [
        ...[billingPeriods, jobs, paymentProofs].map((model) => model.countDocuments()),
        files.countDocuments({ _id: { $in: fileIds } }),
      ];
      expect(await Promise.all(left)).toEqual([0, 0, 0, 0]);
    });
  });

  describe("administrators", () => {
    it("see numbers, revenue and waiting proofs", async () => {
      const none = { starter: 0, trader: 0, pro: 0, institutional: 0 };
      expect(await summary()).toEqual({
        active: 0,
        grace: 0,
        ended_30_days: 0,
        ended: 0,
        ending_7_days: 0,
        by_plan: none,
        monthly_revenue_usd: 0,
        monthly_revenue_change_usd: 0,
        proofs_waiting: 0,
        median_proof_submitted_at: null,
      });
      for (const [username, body] of [
        ["early", { plan: "pro", months: 6 }],
        ["over", { plan: "starter" }],
        ["out", { plan: "starter", months: 6 }],
      ] as const) {
        await createUser(server.database, { username });
        await post(root, `/admin/approve/${username}`, body);
      }
      now = new Date("2027-02-27T12:00:00Z");
      await approve({ plan: "trader" });
      await post(root, "/admin/revoke/out");
      expect(await summary()).toMatchObject({ active: 3, ending_7_days: 1, ended_30_days: 1 });
      expect((await listed("?status=ending")).map(({ username }) => username)).toEqual(["over"]);
      now = new Date("2027-03-02T12:00:00Z");
      await submitProof();
      expect(await summary()).toEqual({
        active: 2,
        grace: 1,
        ended_30_days: 1,
        ended: 1,
        ending_7_days: 0,
        by_plan: { ...none, pro: 1, trader: 1 },
        monthly_revenue_usd: 250,
        monthly_revenue_change_usd: 0,
        proofs_waiting: 1,
        median_proof_submitted_at: "2027-03-02T12:00:00.000Z",
      });
      now = new Date("2027-03-04T12:00:00Z");
      expect(await summary()).toMatchObject({ grace: 0, ended_30_days: 2 });
      expect(await listed("?status=ending")).toEqual([]);
    });

    it("download all payments, safe for spreadsheets", async () => {
      const formula = await createUser(server.database, { username: "-1.2" });
      await post(root, `/admin/approve/${formula.username}`, { plan: "pro", months: 2 });
      const answer = await server.call("/admin/subscriptions/export", {
        token: await tokenOf(root),
      });
      expect(answer.headers.get("content-type")).toMatch("text/csv");
      expect(answer.headers.get("content-disposition")).toBe(
        'attachment; filename="subscriptions.csv"',
      );
      expect((await answer.text()).split("\r\n")).toEqual([
        "username,email,plan,months,price_usd,started_at,ends_at,revoked_at,approved_at,approved_by",
        "'-1.2,'-1.2@example.com,pro,2,300,2027-01-31T12:00:00.000Z,2027-03-31T12:00:00.000Z,,2027-01-31T12:00:00.000Z,root",
        "",
      ]);
    });
  });
});
