import { errorBodySchema } from "@shared/contract/errors.ts";
import { nativeDb } from "@shared/database/database.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ABUSABLE_ROUTES,
  type RawAnswer,
  sendRaw,
  startTestServer,
  type TestServer,
  VICTIM,
} from "./testing/start-test-server.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const MULTIPART_TYPE = "multipart/form-data; boundary=abuse";
const LONG = "x".repeat(2 * 1_024 * 1_024);
const LONG_JSON = Buffer.from(JSON.stringify({ long: LONG }));
const LONG_FORM = Buffer.from(`long=${LONG}`);

const posts = ABUSABLE_ROUTES.filter(({ method }) => method === "POST");
const postsWithFields = posts.filter(({ fields }) => fields.length > 0);
const needyPosts = posts.filter(({ isNeedy }) => isNeedy);

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({
    databaseUri: testDatabaseUri(),
    environment: { RATE_LIMIT: "off" },
  });
  const rights = { approved: true, allowImageUpload: true, imageCredits: 9 };
  const admin = await createUser(server.database, { role: "admin", ...rights });
  await createUser(server.database, { username: VICTIM });
  token = signTokenFor(admin, server.deps.settings);
});
afterAll(() => server.stop());

/** As an administrator who may do everything. */
const post = (path: string, type: string, body: string | Buffer) => {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
  return sendRaw(server.url, { method: "POST", path, headers, body });
};

const dbHashSchema = z.object({ collections: z.record(z.string(), z.string()) });

/** A hash of each collection. The security log also grows when a request is refused. */
async function everythingStored(): Promise<Record<string, string>> {
  const { connection, securityLog } = server.database;
  const { collections } = dbHashSchema.parse(await nativeDb(connection).command({ dbHash: 1 }));
  return { ...collections, [securityLog.collection.collectionName]: "" };
}

/** What an earlier test has left: no test changes anything. */
let left: Record<string, string> | undefined;

/** Runs `abuse`, which must change nothing. */
async function withoutTrace(abuse: () => Promise<void>): Promise<void> {
  const before = left ?? (await everythingStored());
  await abuse();
  left = await everythingStored();
  expect(left).toEqual(before);
}

/** A refusal in the contract's shape that reveals nothing of the inside. */
function expectRefused({ status, body }: RawAnswer, ...allowed: number[]): void {
  expect(allowed).toContain(status);
  const { detail } = errorBodySchema.parse(JSON.parse(body));
  expect(detail).not.toMatch(/\bat \S+ \(|\/src\/|node_modules|Mongo|\$gt|Cast|E11000/);
}

const formOf = (names: readonly string[], value = ""): string =>
  new URLSearchParams(names.map((name) => [name, value])).toString();

const multipartOf = (names: readonly string[], value = ""): string => {
  const parts = names.map(
    (name) => `--abuse\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join("")}--abuse--\r\n`;
};

describe("operators and wrong types", () => {
  const WRONG: { value: unknown }[] = [
    { value: { $gt: "" } },
    { value: { $ne: null } },
    { value: { $regex: ".*" } },
    { value: { $where: "sleep(1000)" } },
    { value: { constructor: { prototype: {} } } },
    { value: { toString: "a", length: 5 } },
    { value: [] },
    { value: [["a"], "b"] },
    { value: -0.5 },
  ];
  const SUFFIXES = ["[$gt]", "[$ne]", "[]", "[__proto__]", "[constructor][prototype]"];

  it.each(postsWithFields)("are refused in place of every field at $path", ({ path, fields }) =>
    withoutTrace(async () => {
      for (const { value } of WRONG) {
        const body = Object.fromEntries(fields.map((name) => [name, value]));
        expectRefused(await post(path, JSON_TYPE, JSON.stringify(body)), 422);
      }
    }),
  );

  it.each(needyPosts)("are not read out of the names in a form at $path", ({ path, fields }) =>
    withoutTrace(async () => {
      for (const suffix of SUFFIXES) {
        const names = fields.map((name) => name + suffix);
        expectRefused(await post(path, FORM_TYPE, formOf(names)), 422);
        expectRefused(await post(path, MULTIPART_TYPE, multipartOf(names)), 400, 422);
      }
    }),
  );

  it("are not read out of the names in a form that may be empty", () =>
    withoutTrace(async () => {
      for (const suffix of SUFFIXES) {
        const form = formOf([`paypal_details${suffix}`, `bank_details_1${suffix}`], "x");
        const answer = await post("/admin/update-payment-details", FORM_TYPE, form);
        expect([200, 422]).toContain(answer.status);
      }
    }));

  it.each([
    "/signal-history?limit[$gt]=1",
    "/signal-history?cursor[$gt]=",
    "/signal-history?cursor=1_0123456789abcdef01234567&cursor[$gt]=",
    "/signal-history?limit=1&limit=2",
    "/admin/security-log?cursor[]=1",
    "/admin/security-log?limit=-1",
    "/me?token[$ne]=",
    "/admin/list-users?__proto__[role]=user",
  ])("do no harm in the query %s", async (path) => {
    const headers = { Authorization: `Bearer ${token}` };
    expect([200, 422]).toContain((await sendRaw(server.url, { path, headers })).status);
  });
});

describe("prototype keys", () => {
  const POLLUTING = '{"polluted":true,"approved":true,"role":"admin"}';

  it.each(needyPosts)("reach no prototype at $path", ({ path }) =>
    withoutTrace(async () => {
      const polluting = [
        [JSON_TYPE, `{"__proto__":${POLLUTING}}`],
        [JSON_TYPE, `{"constructor":{"prototype":${POLLUTING}}}`],
        [FORM_TYPE, "__proto__[polluted]=true&constructor[prototype][polluted]=true"],
        [MULTIPART_TYPE, multipartOf(["__proto__[polluted]", "__proto__"], "true")],
        [MULTIPART_TYPE, multipartOf(["constructor[prototype][polluted]"], "true")],
      ] as const;
      for (const [type, body] of polluting) expectRefused(await post(path, type, body), 400, 422);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect({}).not.toHaveProperty("polluted");
    }),
  );
});

describe("bodies", () => {
  it.each(posts)("of 2 MB are refused at $path", ({ path, needsCookie }) =>
    withoutTrace(async () => {
      const status = needsCookie ? 401 : 413;
      expectRefused(await post(path, JSON_TYPE, LONG_JSON), status);
      expectRefused(await post(path, FORM_TYPE, LONG_FORM), status);
    }),
  );

  it.each(needyPosts)("of 2 MB in a multipart field are refused at $path", ({ path, fields }) =>
    withoutTrace(async () => {
      const body = multipartOf(fields.slice(0, 1), LONG);
      expectRefused(await post(path, MULTIPART_TYPE, body), 400, 413, 422);
    }),
  );

  it.each(needyPosts)("nested 40,000 deep are refused at $path", ({ path, fields }) =>
    withoutTrace(async () => {
      const deep = `${"[".repeat(40_000)}${"]".repeat(40_000)}`;
      expectRefused(await post(path, JSON_TYPE, `{"${fields[0]}":${deep}}`), 400, 422);
      const names = [`${fields[0]}${"[a]".repeat(1_000)}`];
      expectRefused(await post(path, FORM_TYPE, formOf(names)), 400, 422);
    }),
  );

  it.each(needyPosts)("that are not UTF-8 are refused at $path", ({ path, fields }) =>
    withoutTrace(async () => {
      const json = Buffer.from(`{"${fields[0]}":"\u00ff\u00fe"}`, "latin1");
      expectRefused(await post(path, JSON_TYPE, json), 400);
      const form = Buffer.from(multipartOf(fields, "\u00ff"), "latin1");
      expectRefused(await post(path, MULTIPART_TYPE, form), 400, 422);
    }),
  );

  it.each([
    ["JSON that is cut off", JSON_TYPE, '{"username":"a'],
    ["JSON with a comment", JSON_TYPE, "{/**/}"],
    ["JSON that is a text", JSON_TYPE, '"text"'],
    ["a form that calls itself JSON", JSON_TYPE, "username=a"],
    ["JSON in UTF-16", `${JSON_TYPE}; charset=utf-16`, Buffer.from("{}", "utf16le")],
  ])("that are %s are refused everywhere", async (_, type, body) => {
    for (const { path, needsCookie } of posts) {
      expectRefused(await post(path, type, body), needsCookie ? 401 : 400);
    }
  });

  it.each([
    ["JSON that calls itself a form", FORM_TYPE, '{"username":"a","password":"b"}'],
    ["of another type", "text/plain", "username=a&password=b"],
    ["of no type", "", "username=a&password=b"],
    ["of many types", "text/html, application/json", "{}"],
    ["of a type that is none", ";;;", "{}"],
    ["in an unknown character set", `${JSON_TYPE}; charset=klingon`, "{}"],
    ["XML", "application/xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ])("%s are no input", async (_, type, body) => {
    for (const { path } of needyPosts) expectRefused(await post(path, type, body), 400, 422);
  });

  it.each([
    ["without a boundary", "multipart/form-data", multipartOf(["a"])],
    ["with another boundary", "multipart/form-data; boundary=other", multipartOf(["a"])],
    ["cut off", MULTIPART_TYPE, '--abuse\r\nContent-Disposition: form-data; name="a"\r\n\r\nb'],
    ["with a part without a name", MULTIPART_TYPE, "--abuse\r\n\r\nb\r\n--abuse--\r\n"],
    ["with 1,000 fields", MULTIPART_TYPE, multipartOf(Array.from({ length: 1_000 }, String))],
    ["with a name of 10,000", MULTIPART_TYPE, multipartOf(["n".repeat(10_000)])],
    ["of nothing", MULTIPART_TYPE, ""],
  ])("that are a form %s are refused where a form is taken", async (_, type, body) => {
    const takingForms = ["/admin/grant-image-credits/victim", "/admin/set-image-access/victim"];
    for (const path of [...takingForms, "/submit-payment-proof", "/get-signal-with-image"]) {
      expectRefused(await post(path, type, body), 400, 413, 422);
    }
  });
});

describe("names", () => {
  it.each([
    ["a null byte", "ad\u0000min"],
    ["10,000 characters", "a".repeat(10_000)],
    ["Cyrillic letters", "\u0430dmin"],
    ["full-width letters", "\uff41dmin"],
    ["an invisible space", "admin\u200b"],
    ["a right-to-left mark", "\u202enimda"],
    ["a combining accent", "a\u0301dmin"],
    ["half a character", "admin\ud800"],
    ["a path", "../admin"],
    ["markup", "<b>admin"],
  ])("with %s belong to no user", (_, username) =>
    withoutTrace(async () => {
      const account = { username, email: "odd@example.com", password: "secret-1" };
      expectRefused(await post("/register", JSON_TYPE, JSON.stringify(account)), 422);
      // An address may start with this path.
      const mailbox = username === "../admin" ? `${username}:x` : username;
      const byMail = { ...account, username: "even", email: `${mailbox}@example.com` };
      expectRefused(await post("/register", JSON_TYPE, JSON.stringify(byMail)), 422);
      expectRefused(await post("/login", JSON_TYPE, JSON.stringify(account)), 401, 422);
      const inPath = encodeURIComponent(username.replace("\ud800", "\ufffd"));
      expectRefused(await post(`/admin/approve/${inPath}`, JSON_TYPE, "{}"), 404);
    }),
  );
});

it("leaves no fault and no secret in the log", () => {
  const log = server.logLines.map((line) => JSON.parse(line));
  expect(log.length).toBeGreaterThan(500);
  expect(log.filter(({ level }) => level >= 50)).toEqual([]);
  const text = server.logLines.join("\n");
  for (const secret of [token, server.deps.settings.JWT_SECRET, "secret-1", "polluted"]) {
    expect(text).not.toContain(secret);
  }
});
