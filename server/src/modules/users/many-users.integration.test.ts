import { userListSchema } from "@shared/contract/admin.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { newSubscription } from "@shared/domain/subscription-schedule.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("many users", () => {
  let server: TestServer;
  let admin: UserRecord;

  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    const { database } = server;
    admin = await createUser(database, { username: "Root", role: "admin", approved: true });
    for (const [index, username] of ["cyd", "ann", "Bob", "dan"].entries()) {
      const startedAt = new Date(Date.now() - index * 86_400_000);
      const subscription = newSubscription(startedAt, { plan: "pro", months: 1, graceDays: 0 });
      await createUser(database, { username, ...(index < 3 && { subscription, approved: true }) });
    }
  });
  afterAll(() => server.stop());

  const token = () => signTokenFor(admin, server.deps.settings);
  const page = async (query: string) => {
    const answer = await server.call(`/admin/list-users?${query}`, { token: token() });
    return userListSchema.parse(await answer.json());
  };
  /** Names of all pages of two users. */
  async function namesBy(sort: string, filter = ""): Promise<string[]> {
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const more: string = cursor && `&cursor=${cursor}`;
      const { users, next_cursor } = await page(`sort=${sort}&limit=2${filter}${more}`);
      names.push(...users.map(({ username }) => username));
      cursor = next_cursor;
    }
    return names;
  }

  it.each([
    ["username", ["ann", "Bob", "cyd", "dan", "Root"]],
    ["-username", ["Root", "dan", "cyd", "Bob", "ann"]],
    ["registered", ["Root", "cyd", "ann", "Bob", "dan"]],
    ["-registered", ["dan", "Bob", "ann", "cyd", "Root"]],
    ["ends", ["Bob", "ann", "cyd"]],
    ["-ends", ["cyd", "ann", "Bob"]],
  ])("are sorted by %s over all pages", async (sort, names) => {
    expect(await namesBy(sort)).toEqual(names);
  });

  it("are filtered by how their subscription has ended, and all are counted", async () => {
    const startedAt = new Date(Date.now() - 40 * 86_400_000);
    for (const [username, graceDays] of [
      ["gone", 1],
      ["late", 30],
    ] as const) {
      const subscription = newSubscription(startedAt, { plan: "pro", months: 1, graceDays });
      await createUser(server.database, { username, subscription });
    }
    expect(await namesBy("username", "&status=grace")).toEqual(["late"]);
    expect(await namesBy("-registered", "&status=ended")).toEqual(["gone"]);
    expect((await page("status=ended&limit=1&search=n")).total).toBe(1);
    await server.database.users.deleteMany({ username: { $in: ["gone", "late"] } });
  });

  it("are sorted within a filter and a search", async () => {
    expect(await namesBy("-username", "&status=approved")).toEqual(["Root", "cyd", "Bob", "ann"]);
    expect(await namesBy("username", "&search=b")).toEqual(["Bob"]);
    expect((await page("sort=ends&limit=1")).total).toBe(3);
    const wrong = await server.call("/admin/list-users?sort=age", { token: token() });
    expect(wrong.status).toBe(422);
  });

  const email = (json: object) => server.call("/admin/email-users", { token: token(), json });

  it("get an email each, and the security log has its subject", async () => {
    const usernames = ["ann", "BOB", "unknown"];
    const answer = await email({ usernames, subject: "Maintenance", text: "<b>Hello</b>\nall" });
    expect(answer.status).toBe(202);
    expect(await answer.json()).toEqual({ detail: "The email to 2 users is being sent." });
    const jobs = await server.database.jobs.find({ name: "send-email" }).lean();
    expect(jobs.map(({ data }) => data)).toMatchObject([
      { kind: "message", subject: "Maintenance", text: "<b>Hello</b>\nall" },
      { kind: "message", subject: "Maintenance" },
    ]);
    const logged = await server.database.securityLog.findOne({ type: "users:emailed" }).lean();
    expect(logged?.details).toEqual({ users: 2, subject: "Maintenance" });
  });

  it("get no email without a subject, a text and a user", async () => {
    const whole = { usernames: ["ann"], subject: "Maintenance", text: "Hello" };
    for (const wrong of [{ usernames: [] }, { subject: "a\nBcc: b" }, { text: " " }]) {
      expect((await email({ ...whole, ...wrong })).status).toBe(422);
    }
    expect((await email({ ...whole, usernames: ["unknown"] })).status).toBe(404);
  });
});
