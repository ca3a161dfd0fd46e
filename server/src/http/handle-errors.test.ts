import { AppError } from "@shared/runtime/app-error.ts";
import mongoose from "mongoose";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { captureLog, serve } from "../testing/start-test-server.ts";
import type { AppMiddleware } from "./context.ts";
import { handleErrors, handleNotFound } from "./handle-errors.ts";
import { parseRequest } from "./request-input.ts";
import { requestId } from "./request-log.ts";

async function answerTo(handler: AppMiddleware, query = "") {
  const { logger, lines } = captureLog();
  const server = await serve(requestId(logger), handleErrors, handler);
  onTestFinished(server.close);
  const answer = await fetch(server.url + query, { headers: { "X-Request-Id": "r1" } });
  return { status: answer.status, headers: answer.headers, body: await answer.json(), lines };
}

const throwing =
  (error: unknown): AppMiddleware =>
  () => {
    throw error;
  };

describe("handleErrors", () => {
  it("answers an AppError with its status, code and sentence", async () => {
    const { status, body, lines } = await answerTo(
      throwing(new AppError("not-approved", "Your account is waiting for approval.")),
    );
    expect(status).toBe(403);
    expect(body).toEqual({
      detail: "Your account is waiting for approval.",
      code: "not-approved",
      request_id: "r1",
    });
    expect(lines).toEqual([]);
  });

  it("says when to try again", async () => {
    const error = new AppError("rate-limited", "Slow down.", { retryAfterSeconds: 7 });
    const { status, headers } = await answerTo(throwing(error));
    expect(status).toBe(429);
    expect(headers.get("Retry-After")).toBe("7");
  });

  it("says how to authenticate", async () => {
    const { headers } = await answerTo(throwing(new AppError("unauthenticated", "Log in.")));
    expect(headers.get("WWW-Authenticate")).toBe("Bearer");
  });

  it("answers refused input with the fields that are wrong", async () => {
    const schema = z.object({ query: z.object({ age: z.number({ error: "Enter your age." }) }) });
    const { status, body } = await answerTo((ctx) => void parseRequest(schema, ctx), "?age=old");
    expect(status).toBe(422);
    expect(body).toMatchObject({
      detail: "Enter your age.",
      code: "invalid-input",
      errors: [{ field: "age", message: "Enter your age." }],
    });
  });

  it("answers 503 with Retry-After when the database does not answer", async () => {
    const error = new mongoose.mongo.MongoNetworkError("connect ECONNREFUSED 10.0.0.7:27017");
    const { status, headers, body } = await answerTo(throwing(error));
    expect(status).toBe(503);
    expect(headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);
    expect(body).toMatchObject({ code: "unavailable", request_id: "r1" });
    expect(JSON.stringify(body)).not.toContain("10.0.0.7");
  });

  it.each([
    ["an Error", new TypeError("secret detail")],
    ["data of ours that fail a schema", z.string().safeParse(5).error],
    [
      "an error with a status of its own",
      Object.assign(new Error("secret detail"), { status: 200 }),
    ],
    [
      "a refusal that came from elsewhere",
      Object.assign(new Error("secret detail"), { status: 404 }),
    ],
    ["something that is no Error", "secret detail"],
    ["nothing", undefined],
  ])("hides %s behind a 500, and logs it", async (_, thrown) => {
    const { status, body, lines } = await answerTo(throwing(thrown));
    expect(status).toBe(500);
    expect(body).toEqual({
      detail: "Something went wrong on our side. Please try again.",
      code: "internal",
      request_id: "r1",
    });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 50, msg: "request failed", requestId: "r1" },
    ]);
  });

  it("logs the stack of what it hides", async () => {
    const { lines } = await answerTo(throwing(new TypeError("secret detail")));
    expect(JSON.parse(lines.join()).err.stack).toContain("TypeError: secret detail\n    at ");
  });

  it.each([
    [400, 400, "malformed-body"],
    [401, 401, "unauthenticated"],
    [404, 404, "not-found"],
    [415, 400, "malformed-body"],
  ])("turns the framework's own %i into %i %s", async (thrown, status, code) => {
    const answer = await answerTo((ctx) => ctx.throw(thrown, "the framework's words"));
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code });
    expect(answer.body.detail).not.toContain("framework");
  });

  it("discards a body that was started before the failure", async () => {
    const { status, body } = await answerTo((ctx) => {
      ctx.body = { half: "an answer" };
      throw new AppError("not-found", "Gone.");
    });
    expect(status).toBe(404);
    expect(body).toEqual({ detail: "Gone.", code: "not-found", request_id: "r1" });
  });
});

describe("refuseUnanswered", () => {
  it("answers 404 if no route answers", async () => {
    const { status, body } = await answerTo(handleNotFound);
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: "not-found", detail: "There is nothing at this URL." });
  });
});
