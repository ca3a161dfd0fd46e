import { describe, expect, it } from "vitest";
import { readPauseDemand, speaksOfLimit } from "./pause-demand.ts";

const BANNED_UNTIL = 1_700_000_000_000;
const DATE = "Tue, 14 Nov 2023 22:13:20 GMT";

describe("how long a service wants to be left alone", () => {
  it.each([
    ['{"code":-1003,"msg":"IP banned until 1700000000000"}', { retryAt: BANNED_UNTIL }],
    [
      "Way too many requests; IP(10.0.0.1) banned until 1700000000000. Please use the websocket.",
      { retryAt: BANNED_UNTIL },
    ],
    ["banned until 1700000000", { retryAt: BANNED_UNTIL }],
    ['{"message":"blocked","until":1700000000000}', { retryAt: BANNED_UNTIL }],
    ["Retry after 1700000000000", { retryAt: BANNED_UNTIL }],
    ["You are banned until 2023-11-14T22:13:20Z.", { retryAt: BANNED_UNTIL }],
    ["banned until 2023-11-14 22:13:20", { retryAt: BANNED_UNTIL }],
    ["Too many requests. Try again in 5 minutes.", { retryAfterMs: 300_000 }],
    ["Too many requests, retry after 90 seconds", { retryAfterMs: 90_000 }],
    ["please wait 1500ms", { retryAfterMs: 1_500 }],
    ["your IP is blocked for 2 hours", { retryAfterMs: 7_200_000 }],
    ['{"retry_after": 12.5}', { retryAfterMs: 12_500 }],
    ['{"retryAfter":"30"}', { retryAfterMs: 30_000 }],
    ["Too Many Requests", {}],
    ["", {}],
  ])("%s", (text, demand) => {
    expect(readPauseDemand(text)).toEqual(demand);
  });

  it.each([
    [{ "retry-after": "600" }, { retryAfterMs: 600_000 }],
    [{ "retry-after": "0.5" }, { retryAfterMs: 500 }],
    [{ "retry-after": DATE }, { retryAt: BANNED_UNTIL }],
    // Its clock is an hour ahead of ours; that does not matter.
    [{ "retry-after": DATE, date: "Tue, 14 Nov 2023 22:12:50 GMT" }, { retryAfterMs: 30_000 }],
    [{ "retry-after": "soon" }, {}],
    [{}, {}],
  ])("header %j", (headers, demand) => {
    expect(readPauseDemand("", new Headers(Object.entries(headers)))).toEqual(demand);
  });

  it("takes the longer of several times", () => {
    const headers = new Headers({ "retry-after": "10" });
    expect(readPauseDemand("try again in 2 minutes", headers)).toEqual({ retryAfterMs: 120_000 });
    expect(readPauseDemand("banned until 1700000000000", headers)).toEqual({
      retryAfterMs: 10_000,
      retryAt: BANNED_UNTIL,
    });
  });

  it.each([
    ["403, access too frequent", true],
    ["Rate limit exceeded", true],
    ["Service unavailable from a restricted location", false],
    ["The system is under maintenance", false],
  ])("whether a refusal speaks of a limit: %s", (text, isLimit) => {
    expect(speaksOfLimit(text)).toBe(isLimit);
  });
});
