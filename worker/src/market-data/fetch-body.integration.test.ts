import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type FakeHandler,
  type HttpFake,
  type KeepAliveFake,
  sendJson,
  stallBody,
  startHttpFake,
} from "@shared/testing/fakes/fake-http.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { blockFor, patient } from "../testing/fakes.ts";
import { fetchBody, type WholeRequest, withBase } from "./fetch-body.ts";
import type { FailureScope } from "./market-data.ts";

const GENEROUS = { headersTimeoutMs: 10_000, totalTimeoutMs: 10_000, maxBytes: 10_000 };

let service: HttpFake;
let handler: FakeHandler;

beforeAll(async () => {
  service = await startHttpFake((request, response) => handler(request, response));
});
afterAll(() => service.close());

function ask(part: Partial<WholeRequest> = {}): Promise<Response> {
  return fetchBody({
    provider: "service",
    url: service.url,
    abort: patient(),
    limits: GENEROUS,
    onAnswer: () => undefined,
    ...part,
  });
}

describe("fetching a whole answer", () => {
  it("reads one that came in time although this process was too busy to notice", async () => {
    handler = async (_, response) => {
      sendJson(response, { price: 1 });
      blockFor(600);
    };
    const limits = { ...GENEROUS, headersTimeoutMs: 300, totalTimeoutMs: 300 };
    expect(await (await ask({ limits })).json()).toEqual({ price: 1 });
  });

  it.each([
    { status: 429, wait: "7", demand: { failure: "rate-limited", retryAfterMs: 7_000 } },
    { status: 418, text: "banned until 1700000000000", demand: { retryAt: 1_700_000_000_000 } },
    { status: 403, text: "access too frequent", demand: { failure: "rate-limited" } },
    { status: 503, wait: "120", demand: { failure: "refused", retryAfterMs: 120_000 } },
    { status: 500, wait: "5", demand: { failure: "refused", retryAfterMs: 5_000 } },
    { status: 503, text: "try again in 5 minutes", demand: { retryAfterMs: undefined } },
  ])("reads how long to wait: $status, $wait, $text", async ({ status, wait, text, demand }) => {
    handler = async (_, response) => {
      if (wait) response.setHeader("retry-after", wait);
      sendJson(response, { text }, status);
    };
    await expect(ask()).rejects.toMatchObject(demand);
  });

  it("knows a limit by its status, also when the body never ends", async () => {
    handler = async (_, response) => {
      response.writeHead(429, { "retry-after": "30" }).write("{");
    };
    await expect(ask()).rejects.toMatchObject({ failure: "rate-limited", retryAfterMs: 30_000 });
  });

  it("hands on status and body, and sends the headers along", async () => {
    handler = async (request, response) => sendJson(response, request.headers.accept, 404);
    const response = await ask({ init: { headers: { accept: "a thing" } } });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe("a thing");
  });

  it.each<[number, string, FailureScope]>([
    [429, "rate-limited", "provider"],
    [401, "refused", "provider"],
    [403, "refused", "provider"],
    [451, "refused", "provider"],
    [503, "refused", "provider"],
    [500, "refused", "market"],
    [504, "refused", "market"],
  ])("reports status %i as %s, a failure of the %s", async (status, failure, scope) => {
    handler = async (_, response) => sendJson(response, {}, status);
    await expect(ask()).rejects.toMatchObject({ name: "ProviderError", failure, scope });
  });

  it.each<[string, FailureScope, FakeHandler]>([
    ["a connection that breaks", "provider", async (_, response) => void response.destroy()],
    [
      "a connection that breaks in the middle of the body",
      "provider",
      async (_, response) => void response.writeHead(200).write("[", () => response.destroy()),
    ],
    ["headers that do not come in time", "market", async () => undefined],
    ["a body that does not come in time", "market", async (_, response) => stallBody(response)],
  ])("takes %s for a failure of the %s", async (_, scope, answer) => {
    handler = answer;
    const limits = { ...GENEROUS, headersTimeoutMs: 200, totalTimeoutMs: 200 };
    await expect(ask({ limits })).rejects.toMatchObject({ scope });
  });

  it("takes a refused connection and a name that does not resolve for failures of the provider", async () => {
    for (const url of ["http://127.0.0.1:1", "http://nowhere.invalid"]) {
      await expect(ask({ url })).rejects.toMatchObject({
        failure: "unreachable",
        scope: "provider",
      });
    }
  });

  it("gives up on a body that stalls, though garbage was collected meanwhile", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = z.custom<() => void>().parse(runInNewContext("gc"));
    handler = async (_, response) => stallBody(response);
    const collecting = setInterval(collectGarbage, 20);
    const asked = ask({ limits: { ...GENEROUS, totalTimeoutMs: 200 } });
    await expect(asked.finally(() => clearInterval(collecting))).rejects.toMatchObject({
      failure: "timeout",
    });
  });

  it("distinguishes a caller that aborted from a service that failed", async () => {
    handler = async () => undefined;
    const caller = new AbortController();
    const asked = ask({ abort: caller.signal });
    caller.abort();
    await expect(asked).rejects.toMatchObject({
      failure: "timeout",
      message: expect.stringContaining("the caller stopped waiting"),
    });
  });

  it.each([301, 303, 307])("does not follow a redirect (%i) to another service", async (status) => {
    let calls = 0;
    const internal = await startHttpFake(async (_, response) => {
      calls += 1;
      sendJson(response, "a secret");
    });
    handler = async (_, response) =>
      void response.writeHead(status, { location: internal.url }).end();
    await expect(ask()).rejects.toMatchObject({ failure: "unreachable" });
    expect(calls).toBe(0);
    await internal.close();
  });

  it("refuses more than the limit", async () => {
    handler = async (_, response) => sendJson(response, "x".repeat(10_001));
    await expect(ask()).rejects.toMatchObject({ failure: "nonsense" });
  });
});

describe("a kept connection", () => {
  let keeping: KeepAliveFake;
  let received: number;
  let answer: FakeHandler;
  beforeEach(async () => {
    received = 0;
    answer = async (_, response) => sendJson(response, {});
    keeping = await startHttpFake((request, response) => {
      received += 1;
      return answer(request, response);
    });
  });
  afterEach(() => keeping.close());
  /** The connection can be used again one turn after the answer. */
  const askKeeping = (method = "GET") =>
    ask({ url: keeping.url, init: { method } }).finally(() => setImmediate());
  const askAll = async () => {
    const answers = await Promise.all(Array.from({ length: 38 }, () => askKeeping()));
    return answers.map(({ status }) => status);
  };

  it("is replaced where the service closed it, and this process was too busy to notice", async () => {
    const all = new Array(38).fill(200);
    expect(await askAll()).toEqual(all);
    keeping.closeIdle();
    expect(await askAll()).toEqual(all);
    expect(received).toBe(76);
  });

  it.each<[string, (socket: Socket) => void]>([
    ["closed", (socket) => socket.end()],
    ["reset", (socket) => socket.resetAndDestroy()],
  ])("that is %s in place of an answer has its request sent once more", async (_, drop) => {
    await askKeeping();
    answer = async ({ socket }) => drop(socket);
    await expect(askKeeping()).rejects.toMatchObject({ failure: "unreachable", scope: "provider" });
    expect(received).toBe(3);
  });

  it("that breaks does not repeat what may change something", async () => {
    await askKeeping();
    answer = async ({ socket }) => void socket.end();
    await expect(askKeeping("POST")).rejects.toMatchObject({ failure: "unreachable" });
    expect(received).toBe(2);
  });
});

describe("another base address", () => {
  it.each([
    ["http://gateway:9000", "http://gateway:9000/api/v3/klines?symbol=X"],
    ["http://gateway:9000/binance/", "http://gateway:9000/binance/api/v3/klines?symbol=X"],
    [undefined, "https://api.binance.com/api/v3/klines?symbol=X"],
  ])("%s", (base, expected) => {
    expect(withBase("https://api.binance.com/api/v3/klines?symbol=X", base)).toBe(expected);
  });
});
