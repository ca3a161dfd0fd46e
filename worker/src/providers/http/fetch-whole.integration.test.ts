import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type HttpStandIn,
  type StandInHandler,
  sendJson,
  stallBody,
  startHttpStandIn,
} from "@shared/testing/stand-in-http.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { patient } from "../testing/quick-limits.ts";
import { fetchWhole, type WholeRequest, withBase } from "./fetch-whole.ts";

const GENEROUS = { headersTimeoutMs: 10_000, totalTimeoutMs: 10_000, maxBytes: 10_000 };

let service: HttpStandIn;
let handler: StandInHandler;

beforeAll(async () => {
  service = await startHttpStandIn((request, response) => handler(request, response));
});
afterAll(() => service.close());

function ask(part: Partial<WholeRequest> = {}): Promise<Response> {
  return fetchWhole({
    provider: "service",
    url: service.url,
    aborts: [patient()],
    limits: GENEROUS,
    onAnswer: () => undefined,
    ...part,
  });
}

describe("fetching a whole answer", () => {
  it("hands on status and body, and sends the headers along", async () => {
    handler = async (request, response) => sendJson(response, request.headers.accept, 404);
    const response = await ask({ init: { headers: { accept: "a thing" } } });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe("a thing");
  });

  it.each<[number, string]>([
    [429, "rate-limited"],
    [401, "refused"],
    [403, "refused"],
    [451, "refused"],
    [503, "refused"],
  ])("tells of status %i as %s", async (status, failure) => {
    handler = async (_, response) => sendJson(response, {}, status);
    await expect(ask()).rejects.toMatchObject({ name: "ProviderError", failure });
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

  it("tells a caller who left from a service that failed", async () => {
    handler = async () => undefined;
    const caller = new AbortController();
    const asked = ask({ aborts: [caller.signal] });
    caller.abort();
    await expect(asked).rejects.toMatchObject({
      failure: "timeout",
      message: expect.stringContaining("the caller stopped waiting"),
    });
  });

  it("refuses more than the limit", async () => {
    handler = async (_, response) => sendJson(response, "x".repeat(10_001));
    await expect(ask()).rejects.toMatchObject({ failure: "nonsense" });
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
