import { describe, expect, it, onTestFinished } from "vitest";
import { captureLog, serve } from "../testing/serve.ts";
import { requestId } from "./request-id.ts";

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
