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
/** Longer than any body may be. */
const LONG = "x".repeat(110_000);
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

let sent = 0;
/** As an administrator who may do everything. */
const post = (path: string, type: string, body: string | Buffer) => {
  sent += 1;
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

/** The tests of a `describe` must change nothing. */
function changeNothing(): void {
  let before: Record<string, string>;
  beforeAll(async () => {
    before = await everythingStored();
  });
  afterAll(async () => expect(await everythingStored()).toEqual(before));
}

/** One of them for each route, in turn: all routes read their bodies in the same way. */
const inTurn = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("there are none");
  return item;
};
const numbered = <Item extends object>(items: readonly Item[]) =>
  items.map((item, index) => ({ ...item, index }));

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
  changeNothing();
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

  it.each(numbered(postsWithFields))(
    "are refused in place of every field at $path",
    async ({ path, fields, accepts, index }) => {
      const bodies = WRONG.map(({ value }) =>
        Object.fromEntries(fields.map((name) => [name, value])),
      );
      expect(bodies.filter(accepts)).toEqual([]);
      for (const body of [inTurn(bodies, index), inTurn(bodies, index + 4)]) {
        expectRefused(await post(path, JSON_TYPE, JSON.stringify(body)), 422);
      }
    },
  );

  it.each(numbered(needyPosts))(
    "are not read out of the names in a form at $path",
    async ({ path, fields, index }) => {
      const names = fields.map((name) => name + inTurn(SUFFIXES, index));
      expectRefused(await post(path, FORM_TYPE, formOf(names)), 422);
      expectRefused(await post(path, MULTIPART_TYPE, multipartOf(names)), 400, 422);
    },
  );

  it.each(SUFFIXES)(
    "are not read out of names that end with %s in a form that may be empty",
    async (suffix) => {
      const form = formOf([`paypal_details${suffix}`, `bank_details_1${suffix}`], "x");
      const answer = await post("/admin/update-payment-details", FORM_TYPE, form);
      expect([200, 422]).toContain(answer.status);
    },
  );

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
  changeNothing();
  const POLLUTING = '{"polluted":true,"approved":true,"role":"admin"}';
  const JSON_BODIES = [`{"__proto__":${POLLUTING}}`, `{"constructor":{"prototype":${POLLUTING}}}`];
  const FORMS = [
    [FORM_TYPE, "__proto__[polluted]=true&constructor[prototype][polluted]=true"],
    [MULTIPART_TYPE, multipartOf(["__proto__[polluted]", "__proto__"], "true")],
    [MULTIPART_TYPE, multipartOf(["constructor[prototype][polluted]"], "true")],
  ] as const;

  it.each(numbered(needyPosts))("reach no prototype at $path", async ({ path, index }) => {
    const polluting = [[JSON_TYPE, inTurn(JSON_BODIES, index)], inTurn(FORMS, index)] as const;
    for (const [type, body] of polluting) expectRefused(await post(path, type, body), 400, 422);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("bodies", () => {
  changeNothing();

  it.each(posts)("of more than 100 kB are refused at $path", async ({ path, needsCookie }) => {
    const status = needsCookie ? 401 : 413;
    expectRefused(await post(path, JSON_TYPE, LONG_JSON), status);
    expectRefused(await post(path, FORM_TYPE, LONG_FORM), status);
  });

  it.each(needyPosts)(
    "with as much in a multipart field are refused at $path",
    async ({ path, fields }) => {
      const body = multipartOf(fields.slice(0, 1), LONG);
      expectRefused(await post(path, MULTIPART_TYPE, body), 400, 413, 422);
    },
  );

  it.each(needyPosts)("nested 12,000 deep are refused at $path", async ({ path, fields }) => {
    const deep = `${"[".repeat(12_000)}${"]".repeat(12_000)}`;
    expectRefused(await post(path, JSON_TYPE, `{"${fields[0]}":${deep}}`), 400, 422);
    const names = [`${fields[0]}${"[a]".repeat(1_000)}`];
    expectRefused(await post(path, FORM_TYPE, formOf(names)), 400, 422);
  });

  it.each(needyPosts)("that are not UTF-8 are refused at $path", async ({ path, fields }) => {
    const json = Buffer.from(`{"${fields[0]}":"\u00ff\u00fe"}`, "latin1");
    expectRefused(await post(path, JSON_TYPE, json), 400);
    const form = Buffer.from(multipartOf(fields, "\u00ff"), "latin1");
    expectRefused(await post(path, MULTIPART_TYPE, form), 400, 422);
  });

  const BROKEN = [
    ["JSON that is cut off", JSON_TYPE, '{"username":"a'],
    ["JSON with a comment", JSON_TYPE, "{/**/}"],
    ["JSON that is a text", JSON_TYPE, '"text"'],
    ["a form that calls itself JSON", JSON_TYPE, "username=a"],
    ["JSON in UTF-16", `${JSON_TYPE}; charset=utf-16`, Buffer.from("{}", "utf16le")],
  ] as const;
  it.each(BROKEN)("that are %s are refused at several routes", async (name, type, body) => {
    const taken = posts.filter((_, index) => inTurn(BROKEN, index)[0] === name);
    expect(taken.length).toBeGreaterThan(5);
    for (const { path, needsCookie } of taken) {
      expectRefused(await post(path, type, body), needsCookie ? 401 : 400);
    }
  });

  const NO_INPUT = [
    ["JSON that calls itself a form", FORM_TYPE, '{"username":"a","password":"b"}'],
    ["of another type", "text/plain", "username=a&password=b"],
    ["of no type", "", "username=a&password=b"],
    ["of many types", "text/html, application/json", "{}"],
    ["of a type that is none", ";;;", "{}"],
    ["in an unknown character set", `${JSON_TYPE}; charset=klingon`, "{}"],
    ["XML", "application/xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ] as const;
  it.each(NO_INPUT)("%s are no input at several routes", async (name, type, body) => {
    const taken = needyPosts.filter((_, index) => inTurn(NO_INPUT, index)[0] === name);
    expect(taken.length).toBeGreaterThan(1);
    for (const { path } of taken) expectRefused(await post(path, type, body), 400, 422);
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
  changeNothing();

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
  ])("with %s belong to no user", async (_, username) => {
    const account = { username, email: "odd@example.com", password: "secret-1" };
    expectRefused(await post("/register", JSON_TYPE, JSON.stringify(account)), 422);
    // An address may start with this path.
    const mailbox = username === "../admin" ? `${username}:x` : username;
    const byMail = { ...account, username: "even", email: `${mailbox}@example.com` };
    expectRefused(await post("/register", JSON_TYPE, JSON.stringify(byMail)), 422);
    expectRefused(await post("/login", JSON_TYPE, JSON.stringify(account)), 401, 422);
    const inPath = encodeURIComponent(username.replace("\ud800", "\ufffd"));
    expectRefused(await post(`/admin/approve/${inPath}`, JSON_TYPE, "{}"), 404);
  });
});

it("leaves no fault and no secret in the log", () => {
  const log = server.logLines.map((line) => JSON.parse(line));
  expect(log.filter(({ msg }) => msg === "request").length).toBeGreaterThanOrEqual(sent);
  expect(log.filter(({ level }) => level >= 50)).toEqual([]);
  const text = server.logLines.join("\n");
  for (const secret of [token, server.deps.settings.JWT_SECRET, "secret-1", "polluted"]) {
    expect(text).not.toContain(secret);
  }
});
