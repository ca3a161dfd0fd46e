import { listenLocally } from "@shared/testing/fakes/fake-http.ts";
import Koa from "koa";
import { Server } from "socket.io";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { answerOk, captureLog, type Listening, serve } from "../testing/start-test-server.ts";
import type { AppState } from "./context.ts";
import { API_HEADERS, createHttpServer, crossOrigin } from "./create-http-server.ts";

it("forbids browsers to run, frame, sniff or cache what the API answers", async () => {
  const server = await serve(answerOk);
  onTestFinished(server.close);
  const { headers } = await fetch(server.url);
  expect(headers.get("Content-Security-Policy")).toBe(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(headers.get("Strict-Transport-Security")).toBe("max-age=31536000; includeSubDomains");
  expect(headers.get("Referrer-Policy")).toBe("no-referrer");
  expect(headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
  expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect(headers.get("X-Powered-By")).toBeNull();
});

it("gives the answers of Socket.IO the same headers", async () => {
  const http = createHttpServer(new Koa<AppState>(), captureLog().logger);
  const io = new Server(http);
  onTestFinished(() => io.close());
  const address = `http://127.0.0.1:${await listenLocally(http)}/socket.io/?EIO=4&transport=`;
  for (const [transport, status] of [
    ["polling", 200],
    ["pigeon", 400],
  ] as const) {
    const answer = await fetch(address + transport);
    expect(answer.status).toBe(status);
    for (const [name, value] of API_HEADERS) expect(answer.headers.get(name)).toBe(value);
  }
});

const OURS = "http://localhost:5173";

describe("crossOrigin", () => {
  let server: Listening;
  beforeAll(async () => {
    server = await serve(crossOrigin([`${OURS}/`, "https://app.example.com"]), answerOk);
  });
  afterAll(() => server.close());

  const preflight = (origin: string) =>
    fetch(server.url, {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,idempotency-key",
      },
    });

  it.each([OURS, "https://app.example.com"])("lets pages of %s read the answer", async (origin) => {
    const { headers } = await fetch(server.url, { headers: { Origin: origin } });
    expect(headers.get("Access-Control-Allow-Origin")).toBe(origin);
    expect(headers.get("Access-Control-Expose-Headers")).toBe("X-Request-Id,Location,Retry-After");
    expect(headers.get("Vary")).toBe("Origin");
  });

  it("lets them send our headers", async () => {
    const answer = await preflight(OURS);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe(OURS);
    expect(answer.headers.get("Access-Control-Allow-Methods")).toContain("POST");
    expect(answer.headers.get("Access-Control-Allow-Headers")).toBe(
      "Authorization,Content-Type,Prefer,Idempotency-Key,X-Request-Id",
    );
  });

  it.each(["https://evil.example", "null", "http://localhost:5174", `${OURS}.evil.example`])(
    "gives nothing to %s",
    async (origin) => {
      for (const answer of [
        await fetch(server.url, { headers: { Origin: origin } }),
        await preflight(origin),
      ]) {
        expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
        expect(answer.headers.get("Access-Control-Allow-Headers")).toBeNull();
      }
    },
  );
});
