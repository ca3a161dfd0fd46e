import { userCardSchema } from "@shared/contract/account.ts";
import { overviewSchema, userDetailsSchema, userListSchema } from "@shared/contract/admin.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import {
  multipartForm,
  PUSH_WAIT,
  type PushClient,
  type ReceivedEvent,
} from "@shared/testing/api-client.ts";
import { createUser } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiClient, type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

const form = (fields: Record<string, string>): URLSearchParams => new URLSearchParams(fields);

describe("what administrators do with users", () => {
  let server: LiveServer;
  let database: Database;
  let api: ApiClient;
  let root: UserRecord;
  let admins: PushClient;
  let ann: UserRecord;
  let count = 0;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
    database = server.database;
    api = new ApiClient(server);
    root = await createUser(database, { username: "Root", role: "admin", approved: true });
    admins = await api.connect(root);
  });
  beforeEach(async () => {
    ann = await createUser(database, { username: `Ann.${++count}` });
  });
  afterAll(async () => {
    api.close();
    await server.stop();
  });

  const act = (path: string, body?: unknown) => api.post(root, path, body);
  const stored = (user = ann) => database.users.findById(user._id).lean();
  const toldTo = async (stream: string) => {
    const events = await database.events.find({ stream }).sort({ seq: 1 }).lean();
    return events.map(({ name, data, actor }) => ({ name, data, actor }));
  };
  const cardsOf = async (user = ann) =>
    (await toldTo(ADMINS_STREAM)).filter(({ data }) => JSON.stringify(data).includes(user.email));
  const mayReadHistory = async (user = ann) => (await api.call("/signal-history", { user })).status;

  describe("GET /admin/list-users", () => {
    it("lists everybody, the newest registration first", async () => {
      const zoe = await createUser(database, {
        username: `Zoe.${count}`,
        createdAt: new Date(Date.now() + 60_000),
        approved: true,
        allowImageUpload: true,
        imageCredits: 7,
      });
      const answer = await api.call("/admin/list-users", { user: root });
      expect(answer.status).toBe(200);
      const { users } = userListSchema.strict().parse(answer.body);
      expect(users[0]).toEqual({
        username: zoe.username,
        email: zoe.email,
        email_verified: false,
        role: "user",
        approved: true,
        allow_image_upload: true,
        image_credits: 7,
        subscription: null,
        payment_proof: null,
        created_at: zoe.createdAt.toISOString(),
      });
      expect(users.map((user) => user.username)).toEqual(
        expect.arrayContaining([ann.username, "Root"]),
      );
      await database.users.deleteOne({ _id: zoe._id });
    });

    const list = async (query: Record<string, string>) => {
      const { body } = await api.call(`/admin/list-users?${new URLSearchParams(query)}`, {
        user: root,
      });
      const { users, ...page } = userListSchema.parse(body);
      return { names: users.map(({ username }) => username), ...page };
    };

    it("gives every user once, page by page, and counts all of them", async () => {
      const createdAt = new Date(Date.now() + 60_000);
      const made = await Promise.all(
        Array.from({ length: 5 }, () => createUser(database, { createdAt })),
      );
      const names: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page = await list({ limit: "2", ...(cursor && { cursor }) });
        expect(page.names.length).toBeLessThanOrEqual(2);
        expect(page.total).toBe(await database.users.countDocuments());
        names.push(...page.names);
        cursor = page.next_cursor;
      }
      expect(new Set(names.slice(0, 5))).toEqual(new Set(made.map(({ username }) => username)));
      expect(names).toHaveLength(new Set(names).size);
      expect(names).toEqual((await list({})).names);
      await database.users.deleteMany({ createdAt });
    });

    it("finds users by any part of name, email and sender, taken literally and in any case", async () => {
      const sender = `Zo\u00eb (${count}) M*ller`;
      const picture = await plainImage().png().toBuffer();
      const proof = multipartForm({ sender_name: sender, proof_image: picture });
      await api.post(ann, "/submit-payment-proof", proof);
      const { username, email } = ann;
      for (const search of [username.toUpperCase(), ` ${email.slice(1)} `, `(${count}) m*LL`]) {
        expect(await list({ search, limit: "50" })).toEqual({
          names: [username],
          next_cursor: null,
          total: 1,
        });
      }
      expect((await list({ search: ".*" })).names).toEqual([]);
      expect((await list({ search: "", limit: "1" })).names).toHaveLength(1);
    });

    it("selects users by what they wait for", async () => {
      const named = (status: string) => list({ status, search: ann.username });
      expect((await named("pending")).total).toBe(1);
      expect((await named("approved")).names).toEqual([]);
      expect((await named("proof")).names).toEqual([]);
      expect((await named("ending")).names).toEqual([]);
      const proofsBefore = overviewSchema.parse(
        (await api.call("/admin/overview", { user: root })).body,
      ).proofs;
      const picture = await plainImage().png().toBuffer();
      const form = () => multipartForm({ sender_name: "A. Smith", proof_image: picture });
      await api.post(ann, "/submit-payment-proof", form());
      expect((await named("proof")).names).toEqual([ann.username]);
      await act(`/admin/approve/${ann.username}`);
      expect((await named("proof")).names).toEqual([]);
      expect((await named("approved")).names).toEqual([ann.username]);

      await api.post(ann, "/submit-payment-proof", form());
      expect((await named("proof")).names).toEqual([ann.username]);
      const { body } = await api.call("/admin/overview", { user: root });
      expect(overviewSchema.parse(body).proofs).toBe(proofsBefore + 1);
      await act(`/admin/approve/${ann.username}`);
      expect((await named("proof")).names).toEqual([]);
      const [last] = (await cardsOf()).slice(-1);
      expect(last?.data).toMatchObject({ payment_proof: { reviewed_at: expect.any(String) } });
    });

    it.each(["limit=0", "limit=x", "cursor=1", "status=rich"])("refuses %s", async (query) => {
      expect(await api.call(`/admin/list-users?${query}`, { user: root })).toMatchObject({
        status: 422,
        body: { code: "invalid-input" },
      });
    });
  });

  describe("GET /admin/users", () => {
    it("shows one user with their credits and signals, newest first", async () => {
      await act(`/admin/grant-image-credits/${ann.username}`, form({ credits: "5" }));
      await act(`/admin/grant-image-credits/${ann.username}`, form({ credits: "-2" }));
      const [signal] = await createSignals(database, ann, { count: 1 });
      const path = `/admin/users/${ann.username.toLowerCase()}`;
      const { body } = await api.call(path, { user: root });
      const { user, credits, signals } = userDetailsSchema.parse(body);
      expect(user).toMatchObject({ username: ann.username, image_credits: 3 });
      expect(credits.map(({ amount, balance, by }) => [amount, balance, by])).toEqual([
        [-2, 3, "Root"],
        [5, 5, "Root"],
      ]);
      expect(signals.map(({ id }) => id)).toEqual([String(signal?._id)]);
      expect(await api.call("/admin/users/unknown", { user: root })).toMatchObject({ status: 404 });
    });
  });

  describe("POST /admin/approve", () => {
    it("gives access at once, and notifies the user's open page and the admins", async () => {
      const tab = await api.connect(ann);
      expect(await mayReadHistory()).toBe(403);
      const answer = await act(`/admin/approve/${ann.username}`);
      expect(answer).toEqual({ status: 200, body: { detail: `${ann.username} is approved.` } });
      expect(await mayReadHistory()).toBe(200);
      await vi.waitFor(() => expect(tab.received).toHaveLength(1), PUSH_WAIT);
      expect(tab.received[0]).toMatchObject({
        name: "account:updated",
        seq: 1,
        data: {
          approved: true,
          role: "user",
          allow_image_upload: false,
          image_credits: 0,
          reason: "approved",
        },
      });
      const isAnns = ({ data }: ReceivedEvent) => JSON.stringify(data).includes(ann.email);
      await vi.waitUntil(() => admins.named("user:updated").some(isAnns), PUSH_WAIT);
      expect(admins.named("user:updated").find(isAnns)?.data).toMatchObject({
        username: ann.username,
        approved: true,
      });
    });

    it("shows the admins the user's payment proof as well, at an address that opens", async () => {
      const picture = await plainImage().png().toBuffer();
      const proof = multipartForm({ sender_name: "A. Smith", proof_image: picture });
      await api.post(ann, "/submit-payment-proof", proof);
      await act(`/admin/approve/${ann.username}`);
      const cards = () =>
        admins.named("user:updated").flatMap(({ data }) => {
          const card = userCardSchema.parse(data);
          return card.username === ann.username && card.approved ? [card] : [];
        });
      await vi.waitFor(() => expect(cards()).toHaveLength(1), PUSH_WAIT);
      const shown = cards()[0]?.payment_proof;
      expect(shown).toMatchObject({ sender_name: "A. Smith" });
      const { pathname, search } = new URL(shown?.url ?? "");
      const answer = await fetch(server.url + pathname + search);
      expect(answer.headers.get("Content-Type")).toBe("image/png");
    });

    it("may be repeated, also at the same moment, and is published once", async () => {
      const path = `/admin/approve/${ann.username}`;
      const answers = await Promise.all([1, 2, 3, 4].map(() => act(path)));
      answers.push(await act(path));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
      expect(await toldTo(userStream(ann._id))).toHaveLength(1);
      expect(await cardsOf()).toHaveLength(1);
    });

    it("names the administrator in the events about it", async () => {
      await act(`/admin/approve/${ann.username}`);
      expect((await toldTo(userStream(ann._id)))[0]?.actor).toBe("Root");
      expect((await cardsOf())[0]?.actor).toBe("Root");
    });

    it.each([
      ["in capitals", (name: string) => name.toUpperCase()],
      ["in small letters", (name: string) => name.toLowerCase()],
      ["percent-encoded", (name: string) => name.replace("A", "%41").replace(".", "%2E")],
    ])("finds the user by the name %s", async (_, written) => {
      expect(await act(`/admin/approve/${written(ann.username)}`)).toMatchObject({
        status: 200,
      });
      expect((await stored())?.approved).toBe(true);
    });
  });

  describe("POST /admin/revoke", () => {
    it("removes access at once, and notifies the user's open page", async () => {
      await act(`/admin/approve/${ann.username}`);
      const tab = await api.connect(ann);
      const path = `/admin/revoke/${ann.username}`;
      expect(await act(path)).toEqual({
        status: 200,
        body: { detail: `${ann.username} is no longer approved.` },
      });
      expect(await mayReadHistory()).toBe(403);
      await vi.waitFor(() => expect(tab.received).toHaveLength(2), PUSH_WAIT);
      expect(tab.received[1]).toMatchObject({ data: { approved: false, reason: "revoked" } });
      expect(tab.socket.connected).toBe(true);

      expect(await act(path)).toMatchObject({ status: 200 });
      expect(await toldTo(userStream(ann._id))).toHaveLength(2);
    });
  });

  describe("POST /admin/set-image-access", () => {
    it.each([
      ["a urlencoded form", form({ allow: "true" })],
      ["a multipart form", multipartForm({ allow: "true" })],
      ["a form that shouts", form({ allow: "TRUE" })],
      ["JSON", { allow: true }],
      ["JSON with a text", { allow: "true" }],
    ])("allows images by %s, and once more without a notification", async (_, body) => {
      const path = `/admin/set-image-access/${ann.username}`;
      expect(await act(path, body)).toEqual({
        status: 200,
        body: { detail: `${ann.username} may now upload images.` },
      });
      expect((await stored())?.allowImageUpload).toBe(true);
      await act(path, form({ allow: "true" }));
      expect(await toldTo(userStream(ann._id))).toEqual([
        {
          name: "account:updated",
          actor: "Root",
          data: expect.objectContaining({ allow_image_upload: true, reason: "image-access" }),
        },
      ]);
      expect(await act(path, multipartForm({ allow: "false" }))).toEqual({
        status: 200,
        body: { detail: `${ann.username} may no longer upload images.` },
      });
      expect((await stored())?.allowImageUpload).toBe(false);
    });

    it.each([
      ["another field", form({ allowed: "true" })],
      ["another word", form({ allow: "maybe" })],
      ["an empty text", multipartForm({ allow: "" })],
      ["two words", new URLSearchParams("allow=true&allow=false")],
      ["a number", { allow: 1 }],
      ["an operator", { allow: { $ne: true } }],
    ])("refuses %s", async (_, body) => {
      const answer = await act(`/admin/set-image-access/${ann.username}`, body);
      expect(answer).toMatchObject({
        status: 422,
        body: { code: "invalid-input", detail: "Choose true or false." },
      });
      expect((await stored())?.allowImageUpload).toBe(false);
    });
  });

  describe("POST /admin/grant-image-credits", () => {
    const grant = (body: unknown, user = ann) =>
      act(`/admin/grant-image-credits/${user.username}`, body);

    it.each([
      ["a urlencoded form", form({ credits: "50" })],
      ["a multipart form", multipartForm({ credits: "50" })],
      ["JSON", { credits: 50 }],
      ["JSON with a text", { credits: "050" }],
    ])("adds credits by %s", async (_, body) => {
      expect(await grant(body)).toEqual({
        status: 200,
        body: { detail: `${ann.username} now has 50 image credits.` },
      });
      expect((await stored())?.imageCredits).toBe(50);
    });

    it("shows the user and the admins the new balance, and enters the grant in the ledger", async () => {
      const tab = await api.connect(ann);
      await grant(form({ credits: "12" }));
      await grant(form({ credits: "-11" }));
      await vi.waitFor(() => expect(tab.received).toHaveLength(2), PUSH_WAIT);
      expect(tab.received.map(({ name, data }) => [name, data])).toEqual([
        [
          "account:updated",
          expect.objectContaining({ image_credits: 12, reason: "credits-granted" }),
        ],
        [
          "account:updated",
          expect.objectContaining({ image_credits: 1, reason: "credits-granted" }),
        ],
      ]);
      expect((await cardsOf()).map(({ data }) => data)).toEqual([
        expect.objectContaining({ image_credits: 12 }),
        expect.objectContaining({ image_credits: 1 }),
      ]);
      const ledger = await database.creditEntries.find({ userId: ann._id }).lean();
      expect(ledger.map(({ kind, amount, by }) => ({ kind, amount, by }))).toEqual([
        { kind: "grant", amount: 12, by: "Root" },
        { kind: "grant", amount: -11, by: "Root" },
      ]);
    });

    describe("with an Idempotency-Key", () => {
      const grantWith = (key: string, credits: string, by = root) =>
        api.call(`/admin/grant-image-credits/${ann.username}`, {
          method: "POST",
          user: by,
          body: form({ credits }),
          headers: { "Idempotency-Key": key },
        });
      const amounts = async () => {
        const entries = await database.creditEntries.find({ userId: ann._id }).sort({ _id: 1 });
        return entries.map(({ amount }) => amount);
      };

      it("grants once, and answers the same again", async () => {
        const first = await grantWith("a-key", "5");
        expect(first.body).toEqual({ detail: `${ann.username} now has 5 image credits.` });
        await grantWith("another-key", "5");
        expect(await grantWith("a-key", "5")).toEqual(first);
        expect(await amounts()).toEqual([5, 5]);
        expect((await stored())?.imageCredits).toBe(10);
        expect(await cardsOf()).toHaveLength(2);
      });

      it("grants once if the requests come at the same time", async () => {
        const answers = await Promise.all([1, 2, 3, 4].map(() => grantWith("a-key", "7")));
        for (const answer of answers) {
          const detail = `${ann.username} now has 7 image credits.`;
          expect(answer).toEqual({ status: 200, body: { detail } });
        }
        expect(await amounts()).toEqual([7]);
      });

      it("refuses it for another number, and one that is no key", async () => {
        await grantWith("a-key", "5");
        const conflict = { status: 409, body: { code: "idempotency-conflict" } };
        expect(await grantWith("a-key", "6")).toMatchObject(conflict);
        const invalid = { status: 422, body: { code: "invalid-input" } };
        expect(await grantWith("a key", "6")).toMatchObject(invalid);
        expect(await amounts()).toEqual([5]);
      });

      it("counts the key for each administrator and user, and again after a day", async () => {
        const other = await createUser(database, { role: "admin", approved: true });
        await grantWith("a-key", "5");
        await grantWith("a-key", "5", other);
        const createdAt = new Date(Date.now() - 24 * 3_600_000);
        const _id = `grant:${root._id}:${ann._id}:a-key`;
        await database.idempotencyKeys.updateOne({ _id }, { createdAt });
        await grantWith("a-key", "6");
        expect(await amounts()).toEqual([5, 5, 6]);
        ann = await createUser(database);
        await grantWith("a-key", "8");
        expect(await amounts()).toEqual([8]);
      });
    });

    it("never goes below 0", async () => {
      await grant(form({ credits: "3" }));
      expect(await grant(form({ credits: "-100" }))).toEqual({
        status: 200,
        body: { detail: `${ann.username} now has 0 image credits.` },
      });
      await Promise.all(["5", "-4", "-4", "5", "-9"].map((credits) => grant(form({ credits }))));
      const ledger = await database.creditEntries.find({ userId: ann._id }).lean();
      const sum = ledger.reduce((total, entry) => total + entry.amount, 0);
      expect((await stored())?.imageCredits).toBe(sum);
      expect(sum).toBeGreaterThanOrEqual(0);
    });

    it.each([
      ["1e3", form({ credits: "1e3" })],
      ["5.5", form({ credits: "5.5" })],
      ["5.0", multipartForm({ credits: "5.0" })],
      ["an empty text", form({ credits: "" })],
      ["a blank", form({ credits: " " })],
      ["5 with a blank", form({ credits: "5 " })],
      ["a plus sign", form({ credits: "+5" })],
      ["hexadecimal", form({ credits: "0x10" })],
      ["two minus signs", form({ credits: "--5" })],
      ["other digits", form({ credits: "٥" })],
      ["a word", multipartForm({ credits: "many" })],
      ["Infinity", form({ credits: "Infinity" })],
      ["more than can be counted", form({ credits: "9007199254740992" })],
      ["less than can be counted", form({ credits: "-9007199254740992" })],
      ["a long row of digits", form({ credits: "9".repeat(400) })],
      ["another field", form({ credit: "5" })],
      ["nothing", undefined],
      ["two numbers", new URLSearchParams("credits=1&credits=2")],
      ["a fraction in JSON", { credits: 5.5 }],
      ["null", { credits: null }],
      ["true", { credits: true }],
      ["a list", { credits: [5] }],
      ["an operator", { credits: { $gt: 0 } }],
      ["JSON that is a list", [5]],
    ])("refuses %s as an invalid number", async (_, body) => {
      expect(await grant(body)).toMatchObject({
        status: 422,
        body: {
          detail: "Invalid number.",
          code: "invalid-input",
          errors: [expect.objectContaining({ message: "Invalid number." })],
        },
      });
      expect((await stored())?.imageCredits).toBe(0);
      expect(await toldTo(userStream(ann._id))).toEqual([]);
    });

    it("refuses a grant that the balance has no room for", async () => {
      const most = Number.MAX_SAFE_INTEGER;
      expect(await grant(form({ credits: String(most) }))).toMatchObject({ status: 200 });
      expect(await grant(form({ credits: "1" }))).toMatchObject({
        status: 422,
        body: { detail: "Invalid number." },
      });
      expect((await stored())?.imageCredits).toBe(most);
    });

    it("refuses a form with a file, and one that is cut off", async () => {
      const withFile = multipartForm({ credits: "5" });
      withFile.append("extra", new Blob(["x"]), "x.txt");
      const cutOff = new Blob(['--b\r\nContent-Disposition: form-data; name="credits"\r\n\r\n5'], {
        type: "multipart/form-data; boundary=b",
      });
      for (const body of [withFile, cutOff]) {
        expect(await grant(body)).toMatchObject({ status: 400, body: { code: "malformed-body" } });
      }
      expect((await stored())?.imageCredits).toBe(0);
    });
  });

  describe("own account", () => {
    it.each([
      "/admin/revoke/Root",
      "/admin/revoke/rOOT",
      "/admin/delete-user/Root",
      "/admin/delete-user/%72oot",
    ])("refuses %s for Root's own account", async (path) => {
      expect(await act(path)).toMatchObject({ status: 409, body: { code: "own-account" } });
      expect(await stored(root)).toMatchObject({ approved: true, role: "admin" });
    });
  });

  describe("an unknown user", () => {
    const ACTIONS = [
      "approve",
      "revoke",
      "delete-user",
      "delete-signal-history",
      "set-image-access",
      "grant-image-credits",
    ];
    const bodyFor = (action: string) =>
      action.startsWith("set") ? form({ allow: "true" }) : form({ credits: "5" });

    const ODD_NAMES = ["x", "a%2Fb", "%E0%A4%A", "%00", "$ne", "a".repeat(500), "Ann%20"];
    it.each(ACTIONS)("answers %s with 404", async (action) => {
      const turn = ACTIONS.indexOf(action);
      const odd = ODD_NAMES.filter((_, index) => index % ACTIONS.length === turn);
      for (const name of ["unknown", ...odd]) {
        expect(await act(`/admin/${action}/${name}`, bodyFor(action))).toMatchObject({
          status: 404,
          body: { code: "not-found" },
        });
      }
    });

    it.each(ACTIONS)("lets only administrators %s", async (action) => {
      const init = { method: "POST", body: bodyFor(action) };
      const path = `/admin/${action}/${ann.username}`;
      expect(await api.call(path, init)).toMatchObject({ status: 401 });
      expect(await api.call(path, { ...init, user: ann })).toMatchObject({
        status: 403,
        body: { code: "not-admin" },
      });
      expect(await stored()).toMatchObject({ approved: false, imageCredits: 0 });
    });
  });
});
