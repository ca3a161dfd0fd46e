import { describe, expect, it, onTestFinished } from "vitest";
import { answerOk, captureLog, serve } from "../testing/start-test-server.ts";
import type { AppMiddleware } from "./context.ts";
import { requestId, requestLog } from "./request-log.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function serveLogging() {
  const { logger, lines } = captureLog();
  const server = await serve(requestId(logger), (ctx) => {
    ctx.state.log.info("seen");
    ctx.body = ctx.state.requestId;
  });
  onTestFinished(server.close);
  return { url: server.url, lines };
}

describe("requestId", () => {
  it("names a request, in its answer and in its log lines", async () => {
    const { url, lines } = await serveLogging();
    const answer = await fetch(url);
    const id = answer.headers.get("X-Request-Id");
    expect(id).toMatch(UUID);
    expect(await answer.text()).toBe(id);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: "seen", requestId: id }]);
  });

  it("gives every request another name", async () => {
    const { url } = await serveLogging();
    const [first, second] = await Promise.all([fetch(url), fetch(url)]);
    expect(first.headers.get("X-Request-Id")).not.toBe(second.headers.get("X-Request-Id"));
  });

  it("keeps the caller's own name", async () => {
    const { url } = await serveLogging();
    const answer = await fetch(url, { headers: { "X-Request-Id": "Trace_1-b" } });
    expect(answer.headers.get("X-Request-Id")).toBe("Trace_1-b");
  });

  it.each([
    ["too long", "a".repeat(65)],
    ["empty", ""],
    ["not made of plain characters", '{"level":60}'],
  ])("replaces a name that is %s", async (_, given) => {
    const { url } = await serveLogging();
    const answer = await fetch(url, { headers: { "X-Request-Id": given } });
    expect(answer.headers.get("X-Request-Id")).toMatch(UUID);
  });
});

async function logOf(handler: AppMiddleware, path: string, init?: RequestInit) {
  const { logger, lines } = captureLog();
  const server = await serve(
    requestId(logger),
    requestLog({ observeRequest: () => undefined }),
    handler,
  );
  onTestFinished(server.close);
  await fetch(server.url + path, init);
  return lines;
}

describe("requestLog", () => {
  it("writes one line with method, path, status, duration and request id", async () => {
    const lines = await logOf(
      (ctx) => {
        ctx.status = 201;
        ctx.body = "made";
      },
      "/things",
      { method: "POST", headers: { "X-Request-Id": "r1" } },
    );
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        method: "POST",
        path: "/things",
        status: 201,
        durationMs: expect.any(Number),
        requestId: "r1",
      },
    ]);
  });

  it("leaves out query, body and headers", async () => {
    const lines = await logOf(answerOk, "/reset?token=in-the-query", {
      method: "POST",
      headers: { Authorization: "Bearer in-a-header" },
      body: "in-the-body",
    });
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toMatch(/in-the-query|in-a-header|in-the-body/);
  });

  /** Sets the route, as the router does. */
  const routed =
    (route: string): AppMiddleware =>
    (ctx) => {
      Object.assign(ctx, { _matchedRoute: route });
      ctx.body = "ok";
    };

  it.each([
    ["/shared/:token", "/Shared/the-token/"],
    ["/shared/:token/image.png", "/shared/the-token/image.png"],
  ])("leaves out the token of a shared signal: %s", async (route, path) => {
    const lines = await logOf(routed(route), path);
    expect(lines.join()).toContain("[secret]");
    expect(lines.join()).not.toContain("the-token");
  });

  it("leaves out what may be a token in a path without a route", async () => {
    const lines = await logOf(answerOk, "/Shared/the-token");
    expect(lines.map((line) => JSON.parse(line).path)).toEqual(["/Shared/[secret]"]);
  });

  it("keeps other parameters", async () => {
    const lines = await logOf(routed("/signals/:id"), "/signals/17");
    expect(lines.map((line) => JSON.parse(line).path)).toEqual(["/signals/17"]);
  });
});
