import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { errorBodySchema } from "@shared/contract/errors.ts";
import Koa from "koa";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerOk, captureLog, listen } from "../testing/start-test-server.ts";
import type { AppMiddleware, AppState } from "./context.ts";

async function serveRaw(handler: AppMiddleware = answerOk) {
  const app = new Koa<AppState>();
  app.use(handler);
  const { logger, lines } = captureLog();
  const server = await listen(app, logger);
  onTestFinished(server.close);
  const open = async (options: { allowHalfOpen?: boolean } = {}) => {
    const port = Number(new URL(server.url).port);
    const socket = connect({ port, host: "127.0.0.1", ...options });
    await once(socket, "connect");
    return socket;
  };
  const send = async (request: string) => {
    const socket = await open();
    socket.write(request);
    const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
    return { head, body };
  };
  return { open, send, lines };
}

describe("createHttpServer", () => {
  it.each([
    ["what is no HTTP", "nonsense\r\n\r\n"],
    ["an unknown method", "FROBNICATE / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a header that is no header", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n"],
    ["headers beyond 16 kB", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ],
    [
      "a length and chunks at once",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a length that is no number", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"],
    ["a null byte in the address", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"],
  ])("refuses %s with 400 in the contract's shape", async (_, request) => {
    const { send, lines } = await serveRaw();
    const { head, body } = await send(request);
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const error = errorBodySchema.parse(JSON.parse(body));
    expect(error).toMatchObject({
      code: "malformed-body",
      detail: "The request could not be read.",
    });
    expect(head).toContain(`X-Request-Id: ${error.request_id}`);
    expect(head).toContain("X-Content-Type-Options: nosniff");
    expect(lines.join()).toContain(error.request_id);
  });

  it("ignores an expectation that it does not know", async () => {
    const { send } = await serveRaw();
    const { head, body } = await send(
      "GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n",
    );
    expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(body).toBe("ok");
  });

  it("cuts the connection rather than putting a refusal into half an answer", async () => {
    const { open } = await serveRaw((ctx) => {
      ctx.respond = false;
      ctx.res.writeHead(200, { "Content-Length": "100" });
      ctx.res.write("the first half");
    });
    const socket = await open();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const [first] = await once(socket, "data");
    expect(String(first)).toContain("the first half");
    socket.write("nonsense\r\n\r\n");
    expect(await text(socket)).toBe("");
  });

  it.each(["close", "keep-alive"])(
    "lets a client with `Connection: %s` send the rest of a file that is refused early, so that it reads the answer",
    async (connection) => {
      const { open } = await serveRaw((ctx) => {
        ctx.status = 503;
        ctx.body = "full";
      });
      const socket = await open({ allowHalfOpen: true });
      const file = Buffer.alloc(5_000_000);
      socket.write(
        `POST / HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nContent-Length: ${file.length}\r\n\r\n`,
      );
      const [answer] = await once(socket, "data");
      socket.end(file);
      await once(socket.resume(), "close");
      expect(String(answer)).toMatch(/^HTTP\/1\.1 503 [\s\S]+full$/);
      expect(socket.errored).toBeNull();
      expect(socket.bytesWritten).toBeGreaterThan(file.length);
    },
  );

  it("serves on after all of that", async () => {
    const { send } = await serveRaw();
    await send("nonsense\r\n\r\n");
    const { head } = await send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});
