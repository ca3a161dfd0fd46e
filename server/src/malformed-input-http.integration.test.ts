import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  ABUSABLE_ROUTES,
  type RawAnswer,
  type RawRequest,
  sendRaw,
  startTestServer,
  type TestServer,
  VICTIM,
} from "./testing/start-test-server.ts";

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
const send = (options: RawRequest) => {
  sent += 1;
  return sendRaw(server.url, options);
};
const sendAsAdmin = ({ headers, ...options }: RawRequest) =>
  send({ ...options, headers: { Authorization: `Bearer ${token}`, ...headers } });

function expectRefused({ status, body }: RawAnswer, ...allowed: number[]): void {
  expect(allowed).toContain(status);
  errorBodySchema.parse(JSON.parse(body));
}

describe("addresses", () => {
  const PREFIXES: Pick<RawRequest, "method" | "path">[] = [
    { method: "GET", path: "/payment_proofs/" },
    { method: "GET", path: "/chart_uploads/" },
    { method: "DELETE", path: "/admin/delete-chart-image/" },
    { method: "GET", path: "/signals/" },
    { method: "POST", path: "/admin/approve/" },
    { method: "POST", path: "/admin/delete-user/" },
  ];

  const ENDS = [
    "../../../../etc/passwd",
    "..%2f..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "%252e%252e%252fetc%252fpasswd",
    "..%5c..%5cwindows%5cwin.ini",
    "....//....//etc/passwd",
    "%2fetc%2fpasswd",
    "file:%2f%2f%2fetc%2fpasswd",
    "%c0%ae%c0%ae%c0%afetc%c0%afpasswd",
    "x.png%00.html",
    "%00",
    "%0d%0aSet-Cookie:a=b",
    "%7B%22$gt%22%3A%22%22%7D",
    "[$ne]=1",
    "__proto__",
    "constructor",
    "toString",
    ".",
    "..",
    "",
    "%",
    "%E0%A4%A",
    "%F0%9F%92%A9",
    "*",
    "a".repeat(8_000),
  ];
  it.each(ENDS)("that end in %j find nothing", async (end) => {
    for (const { method, path } of PREFIXES) {
      const answer = await sendAsAdmin({ method, path: path + end });
      expectRefused(answer, 400, 404);
      expect(answer.body).not.toContain("root:");
      expect(answer.headers).not.toHaveProperty("set-cookie");
    }
    // Without a session, one of the paths each.
    const { method, path } = PREFIXES[ENDS.indexOf(end) % PREFIXES.length] ?? {};
    expectRefused(await send({ method, path: `${path}${end}` }), 400, 401, 404);
  });
});

describe("methods", () => {
  const paths = [...new Set(ABUSABLE_ROUTES.map(({ path }) => path))].map((path, index) => ({
    path,
    index,
    methods: ABUSABLE_ROUTES.filter((route) => route.path === path).map(({ method }) => method),
  }));

  // The matrix of roles shows that no path has a handler of another method.
  it.each(paths)("other than its own are not found at $path", async ({ path, methods, index }) => {
    const others = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
      (one) => !methods.includes(one),
    );
    const odd = ["TRACE", "PROPFIND"];
    for (const method of [others[index % others.length], odd[index % odd.length]]) {
      expectRefused(await sendAsAdmin({ method, path }), 404);
    }
  });

  it.each(paths)("OPTIONS names its own at $path", async ({ path, methods }) => {
    const { status, headers, body } = await send({ method: "OPTIONS", path });
    expect({ status, body }).toEqual({ status: 200, body: "" });
    const allowed = String(headers.allow).split(", ");
    expect(allowed.filter((method) => method !== "HEAD").toSorted()).toEqual(methods.toSorted());
  });

  it.each(paths)("HEAD answers as GET, without a body, at $path", async ({ path, methods }) => {
    const head = await sendAsAdmin({ method: "HEAD", path });
    const get = methods.includes("GET") ? await sendAsAdmin({ method: "GET", path }) : undefined;
    expect({ status: head.status, body: head.body }).toEqual({
      status: get?.status ?? 404,
      body: "",
    });
  });

  it("cannot be disguised by a header", async () => {
    const headers = { "X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/admin/delete-user" };
    const path = `/admin/approve/${VICTIM}`;
    expect(await sendAsAdmin({ method: "POST", path, headers })).toMatchObject({ status: 200 });
    expect(await server.database.users.countDocuments({ username: VICTIM })).toBe(1);
  });
});

describe("headers", () => {
  const json = { "Content-Type": "application/json" };

  const needingToken = ABUSABLE_ROUTES.filter(({ needsToken }) => needsToken);
  const ODD_TOKENS = [
    "",
    "Bearer",
    "Bearer ",
    "bearer",
    "Bearer null",
    "Bearer a.b.c",
    "Bearer a b c",
    "Basic YWRtaW46YWRtaW4=",
    "Token x",
    `Bearer ${"x".repeat(8_000)}`,
    "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIwIn0.",
    "Bearer \u00ff\u00fe",
    'Bearer {"$gt":""}',
    "Bearer ../../etc/passwd",
  ];

  it.each(ODD_TOKENS)("Authorization: %j signs in no user", async (Authorization) => {
    expectRefused(await send({ path: "/me", headers: { Authorization } }), 401);
  });

  it("which are odd sign in no user at any route", async () => {
    expect(needingToken.length).toBeGreaterThan(ODD_TOKENS.length);
    for (const [index, { method, path }] of needingToken.entries()) {
      const Authorization = ODD_TOKENS[index % ODD_TOKENS.length];
      expectRefused(await send({ method, path, headers: { Authorization } }), 401);
    }
  });

  it("with the scheme in another case are good", async () => {
    const headers = { Authorization: `bearer ${token}` };
    expect(await send({ path: "/me", headers })).toMatchObject({ status: 200 });
  });

  it("count once: of two tokens it is the first", async () => {
    const twice = (...values: string[]) =>
      send({ path: "/me", headers: { Authorization: values } });
    expect((await twice(`Bearer ${token}`, "Bearer x")).status).toBe(200);
    expect((await twice("Bearer x", `Bearer ${token}`)).status).toBe(401);
  });

  it.each([
    ["of 65 characters", "k".repeat(65)],
    ["of several words", "one two"],
    ["that is not ASCII", "\u00e4"],
    ["sent twice", ["one", "two"]],
  ])("with an Idempotency-Key %s are refused", async (_, key) => {
    const headers = { ...json, "Idempotency-Key": key };
    const body = JSON.stringify({ symbol: "BTC/USDT", timeframe: "1h" });
    const path = "/get-signal";
    expectRefused(await sendAsAdmin({ method: "POST", path, headers, body }), 422);
    expect(await server.database.signals.countDocuments()).toBe(0);
  });

  it.each([
    { Host: "evil.example" },
    { Host: "" },
    { Origin: "https://evil.example" },
    { Referer: "javascript:alert(1)" },
    { "X-Forwarded-For": "::1, ldap://evil.example" },
    { Accept: "application/xml" },
    { "Accept-Language": "*".repeat(4_000) },
    { "If-None-Match": "*" },
    { Range: "bytes=0-,0-,0-" },
    { Cookie: "__proto__=1; a=%" },
    { Upgrade: "h2c", "HTTP2-Settings": "AA" },
    { "X-Request-Id": "\u00ff\t<script>" },
    { "Content-Length": "0", Expect: "100-continue" },
  ])("such as %j change nothing", async (headers) => {
    const { status, headers: got, body } = await send({ path: "/payment-details", headers });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toHaveProperty("paypal_details");
    expect(got["x-request-id"]).toMatch(/^[\w-]{36}$/);
    expect(got["access-control-allow-origin"] ?? "").not.toContain("evil");
  });
});

it.each([
  ["/login", "application/json"],
  ["/submit-payment-proof", "multipart/form-data; boundary=b"],
  ["/get-signal", "application/json"],
])("bears callers of %s who hang up in the middle", async (path, type) => {
  const { hostname, port } = new URL(server.url);
  const id = randomUUID();
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": type,
    "Content-Length": "1000",
    "X-Request-Id": id,
    // The server answers as soon as it has the headers, so it always sees the request.
    Expect: "100-continue",
  };
  const calling = request({ hostname, port, method: "POST", path, headers, agent: false });
  calling.flushHeaders();
  await once(calling, "continue");
  const part = '--b\r\nContent-Disposition: form-data; name="sender_name"\r\n\r\nA';
  await new Promise((resolve) => calling.write(part, resolve));
  const gone = once(calling, "error");
  calling.destroy(new Error("hung up"));
  await gone;
  const logged = () =>
    server.logLines
      .map((line) => JSON.parse(line))
      .filter(({ msg, requestId }) => msg === "request" && requestId === id);
  await vi.waitFor(() => expect(logged()).toHaveLength(1), { timeout: 30_000 });
  expect(logged()).toMatchObject([{ path, status: 400 }]);
  expect((await send({ path: "/healthz" })).status).toBe(200);
});

it("leaves no fault and no secret in the log", () => {
  const log = server.logLines.map((line) => JSON.parse(line));
  expect(log.filter(({ msg }) => msg === "request").length).toBeGreaterThanOrEqual(sent);
  expect(log.filter(({ level }) => level >= 50)).toEqual([]);
  for (const secret of [token, server.deps.settings.JWT_SECRET]) {
    expect(server.logLines.join()).not.toContain(secret);
  }
});
