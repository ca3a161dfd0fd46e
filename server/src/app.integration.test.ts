import { errorBodySchema } from "@shared/contract/errors.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRaw, startTestServer, type TestServer } from "./testing/start-test-server.ts";

describe("the HTTP application", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());

  const callRaw = (path: string, headers?: Record<string, string>) =>
    sendRaw(server.url, { path, headers });

  it.each([
    ["GET", "/no-such-thing"],
    ["GET", "/"],
    ["GET", "/login"],
    ["DELETE", "/register"],
    ["PATCH", "/me"],
    ["PROPFIND", "/me"],
    ["POST", "/healthz"],
    ["GET", "/__proto__"],
    ["GET", "/constructor/prototype"],
  ])("answers %s %s with 404 in the contract's shape", async (method, path) => {
    const answer = await server.call(path, { method });
    expect(answer.status).toBe(404);
    expect(errorBodySchema.parse(await answer.json())).toEqual({
      detail: "There is nothing at this URL.",
      code: "not-found",
      request_id: answer.headers.get("X-Request-Id"),
    });
  });

  it.each([
    "/%",
    "/signals/%E0%A4%A",
    "/signals/%00",
    "//",
    "//me",
    "/me?%",
    "/login?a[b]=%ff",
    "/../../etc/passwd",
    "*",
  ])("answers the odd address %s without a 500", async (path) => {
    const { status, headers, body } = await callRaw(path);
    expect([400, 401, 404]).toContain(status);
    expect(errorBodySchema.parse(JSON.parse(body)).request_id).toBe(headers["x-request-id"]);
  });

  it("answers a very long address without a 500", async () => {
    expect(await callRaw(`/${"a".repeat(8_000)}`)).toMatchObject({ status: 404 });
  });

  it.each<Record<string, string>>([
    { Authorization: "Basic YTpi" },
    { Authorization: "Bearer" },
    { Authorization: "Bearer a b c" },
    { Authorization: "\u00ff" },
    { "Content-Length": "0", "Content-Type": "application/json; charset=none-such" },
    { "Content-Type": ";;;" },
    { Cookie: "a=%;;=" },
    { Prefer: ",,," },
    { "X-Request-Id": "../../x" },
    { "X-Forwarded-For": "nonsense", "X-Forwarded-Host": "evil.example" },
  ])("answers 401 to the odd header %j", async (headers) => {
    expect(await callRaw("/me", headers)).toMatchObject({ status: 401 });
  });

  it("answers HEAD as GET, without a body", async () => {
    const answer = await server.call("/healthz", { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe("");
    expect(await server.call("/me", { method: "HEAD" })).toMatchObject({ status: 401 });
  });

  it("says by OPTIONS which methods an address takes", async () => {
    const answer = await server.call("/login", { method: "OPTIONS" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Allow")).toBe("POST");
  });

  it("gives errors the headers of every other answer", async () => {
    const answer = await server.call("/no-such-thing", {
      headers: { Origin: "http://localhost:5173", "X-Request-Id": "r1" },
    });
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("http://localhost:5173");
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(answer.headers.get("X-Request-Id")).toBe("r1");
  });

  it.each([
    ["broken JSON", '{"username":', 400, "malformed-body"],
    ["too much JSON", JSON.stringify({ username: "x".repeat(200_000) }), 413, "body-too-large"],
    ["an array", "[]", 422, "invalid-input"],
    ["no JSON at all", "username=ann", 400, "malformed-body"],
  ] as const)("refuses %s", async (...[, body, status, code]) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await server.call("/login", { method: "POST", headers, body });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ code });
  });

  it("hides its own failures, and logs them under the request's id", async () => {
    const broken = await startTestServer({
      databaseUri: testDatabaseUri(),
      overrides: {
        now: () => {
          throw new Error("a secret of the inside");
        },
      },
    });
    const answer = await broken.call("/ledger", { headers: { "X-Request-Id": "r500" } });
    await broken.stop();
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      detail: "Something went wrong on our side. Please try again.",
      code: "internal",
      request_id: "r500",
    });
    const logged = broken.logLines.map((line) => JSON.parse(line));
    expect(logged).toContainEqual(
      expect.objectContaining({
        requestId: "r500",
        err: expect.objectContaining({ message: "a secret of the inside" }),
      }),
    );
  });
});
