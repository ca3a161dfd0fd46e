import { type OutgoingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { captureLog, type Listening, serve } from "../testing/start-test-server.ts";
import type { AppMiddleware } from "./context.ts";
import { handleErrors } from "./handle-errors.ts";
import { parseBody, parseMultipartForm, parseUpload } from "./request-input.ts";
import { requestId } from "./request-log.ts";
import { Uploads } from "./uploads.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

describe("parseBody", () => {
  let server: Listening;
  beforeAll(async () => {
    server = await serve(requestId(captureLog().logger), handleErrors, parseBody, (ctx) => {
      ctx.body = { got: ctx.request.body };
    });
  });
  afterAll(() => server.close());

  const post = async (body: BodyInit, type = JSON_TYPE, headers: Record<string, string> = {}) => {
    const answer = await fetch(server.url, {
      method: "POST",
      headers: { "Content-Type": type, ...headers },
      body,
    });
    return { status: answer.status, body: await answer.json() };
  };

  it.each([
    { what: "JSON", body: '{"a":1}', got: { a: 1 } },
    { what: "JSON with umlauts and emoji", body: '{"a":"Zoë 🚀"}', got: { a: "Zoë 🚀" } },
    { what: "a form", body: "a=1&b=x+y", type: FORM_TYPE, got: { a: "1", b: "x y" } },
    { what: "nothing", body: "", got: {} },
  ])("reads $what", async ({ body, type, got }) => {
    expect(await post(body, type)).toEqual({ status: 200, body: { got } });
  });

  it("reads what was compressed", async () => {
    const body = new Uint8Array(gzipSync('{"a":1}'));
    expect(await post(body, JSON_TYPE, { "Content-Encoding": "gzip" })).toEqual({
      status: 200,
      body: { got: { a: 1 } },
    });
  });

  it.each([
    ["broken JSON", '{"a":', {}],
    ["JSON that is no object", '"text"', {}],
    ["JSON with a prototype key", '{"__proto__":{"admin":true}}', {}],
    [
      "bytes that are not UTF-8",
      new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
      {},
    ],
    ["what is not compressed as it says", "not gzip", { "Content-Encoding": "gzip" }],
    ["an unknown compression", '{"a":1}', { "Content-Encoding": "none-such" }],
  ])("refuses %s with 400", async (_, body, headers) => {
    expect(await post(body, JSON_TYPE, headers)).toMatchObject({
      status: 400,
      body: { code: "malformed-body", detail: "The body of the request could not be read." },
    });
  });

  it.each([
    ["JSON", JSON.stringify({ a: "x".repeat(102_400) }), {}],
    [
      "compressed JSON",
      new Uint8Array(gzipSync(JSON.stringify({ a: "x".repeat(102_400) }))),
      { "Content-Encoding": "gzip" },
    ],
    ["several megabytes", JSON.stringify({ a: "x".repeat(4_000_000) }), {}],
  ])("refuses more than 100 kB of %s with 413", async (_, body, headers) => {
    expect(await post(body, JSON_TYPE, headers)).toMatchObject({
      status: 413,
      body: { code: "body-too-large" },
    });
  });

  it("serves on after a body that was too large", async () => {
    await post(JSON.stringify({ a: "x".repeat(4_000_000) }));
    expect(await post('{"a":1}')).toMatchObject({ status: 200 });
  });
});

describe("a caller who hangs up before their body is read", () => {
  /** What became of the request: the error of `parse`, or the body that it passed on. */
  async function outcomeOf(parse: AppMiddleware, headers: OutgoingHttpHeaders): Promise<unknown> {
    let outcome: Promise<unknown> | undefined;
    const server = await serve(async (ctx) => {
      ctx.req.on("error", () => undefined);
      await new Promise((resolve) => ctx.req.once("close", resolve));
      const parsing = async () => parse(ctx, () => Promise.resolve());
      outcome = parsing().then(
        () => ({ body: ctx.request.body }),
        (error: unknown) => error,
      );
    });
    const calling = request(server.url, { method: "POST", headers });
    calling.on("error", () => undefined);
    if (headers["Content-Length"] === "0") calling.flushHeaders();
    else calling.write("--b");
    await vi.waitFor(() => expect(calling.socket?.bytesWritten).toBeGreaterThan(0));
    calling.destroy();
    await vi.waitFor(() => expect(outcome).toBeDefined(), { timeout: 30_000 });
    server.close();
    return outcome;
  }

  it.each([
    [
      "a form with a file",
      parseUpload("image", new Uploads(tmpdir())),
      "multipart/form-data; boundary=b",
    ],
    ["a form without files", parseMultipartForm, "multipart/form-data; boundary=b"],
    ["JSON", parseBody, JSON_TYPE],
    ["an encoded form", parseBody, FORM_TYPE],
  ])("does not have their request run without %s", async (_, parse, type) => {
    const headers = { "Content-Type": type, "Content-Length": "1000" };
    expect(await outcomeOf(parse, headers)).toMatchObject({ code: "malformed-body" });
  });

  it("has their request run if it has no body", async () => {
    expect(await outcomeOf(parseBody, { "Content-Length": "0" })).toEqual({ body: undefined });
  });
});
