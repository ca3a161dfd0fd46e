import { describe, expect, it, onTestFinished } from "vitest";
import type { AppMiddleware } from "../app-context.ts";
import { answerOk, captureLog, serve } from "../testing/serve.ts";
import { requestId } from "./request-id.ts";
import { requestLog } from "./request-log.ts";

async function logOf(handler: AppMiddleware, path: string, init?: RequestInit) {
  const { logger, lines } = captureLog();
  const server = await serve(requestId(logger), requestLog, handler);
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
});
