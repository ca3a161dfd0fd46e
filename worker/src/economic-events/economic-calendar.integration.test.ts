import { DAY_MS, HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { readEconomicCalendar } from "@shared/domain/economic-events.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { type HttpFake, sendJson, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EconomicCalendar } from "./economic-calendar.ts";

let database: Database;
let service: HttpFake;
let asked = 0;
let answer: { body: unknown; status?: number; retryAfter?: string };
/** Milliseconds by which the clock of the database is ahead. */
let laterMs = 0;

const uri = testDatabaseUri();
const logger = createLogger({ service: "test", level: "silent" });
const abort = new AbortController().signal;
const clock = () => new Date(Date.now() + laterMs);

beforeEach(async () => {
  database = { ...(await openDatabase({ uri })), now: clock };
  await Promise.all([
    database.economicCalendar.deleteMany({}),
    database.providerPauses.deleteMany({}),
  ]);
  asked = 0;
  laterMs = 0;
  answer = { body: [rowAt(HOUR_MS)] };
  service = await startHttpFake(async (_, response) => {
    asked += 1;
    const { body, status = 200, retryAfter } = answer;
    if (retryAfter) response.setHeader("Retry-After", retryAfter);
    sendJson(response, body, status);
  });
});
afterEach(async () => {
  await service.close();
  await database.close();
});

const rowAt = (inMs: number, title = "CPI") => ({
  title,
  country: "USD",
  date: new Date(Date.now() + inMs).toISOString(),
  impact: "High",
});
const newCalendar = (path = "/week.json") =>
  new EconomicCalendar({ database, logger, url: `${service.url}${path}` });
const titlesOf = async (calendar: EconomicCalendar) =>
  (await calendar.read(abort))?.events.map(({ title }) => title);

it("is read once for all workers, and stored for the servers", async () => {
  const calendar = newCalendar();
  await Promise.all([calendar.read(abort), calendar.read(abort)]);
  expect(await titlesOf(newCalendar())).toEqual(["CPI"]);
  expect(asked).toBe(1);
  expect((await readEconomicCalendar(database))?.events).toHaveLength(1);
});

it("is read again after a quarter of an hour", async () => {
  const calendar = newCalendar();
  await calendar.read(abort);
  answer = { body: [rowAt(HOUR_MS, "PPI")] };
  laterMs = 14 * MINUTE_MS;
  expect(await titlesOf(calendar)).toEqual(["CPI"]);
  laterMs = 16 * MINUTE_MS;
  expect(await titlesOf(calendar)).toEqual(["PPI"]);
});

it("stays as it was while it cannot be read, for a day", async () => {
  const calendar = newCalendar();
  await calendar.read(abort);
  answer = { body: "<html>moved</html>" };
  laterMs = 23 * HOUR_MS;
  expect(await titlesOf(calendar)).toEqual(["CPI"]);
  laterMs = DAY_MS + HOUR_MS;
  expect(await calendar.read(abort)).toBeNull();
});

it("that fails is not asked with every analysis", async () => {
  answer = { body: "down", status: 500 };
  const calendar = newCalendar();
  for (let analyses = 0; analyses < 5; analyses += 1) expect(await calendar.read(abort)).toBeNull();
  expect(asked).toBe(1);
});

it("that limits its callers is left alone by all workers", async () => {
  answer = { body: "too many", status: 429, retryAfter: "300" };
  expect(await newCalendar().read(abort)).toBeNull();
  expect(await newCalendar().read(abort)).toBeNull();
  expect(asked).toBe(1);
});

it("of another address is another calendar", async () => {
  await newCalendar("/one.json").read(abort);
  answer = { body: [rowAt(HOUR_MS, "PPI")] };
  expect(await titlesOf(newCalendar("/two.json"))).toEqual(["PPI"]);
});

it("keeps what the next days can need of a calendar of years", async () => {
  answer = { body: [-400, -2, 0.5, 13, 400].map((days) => rowAt(days * DAY_MS, `day ${days}`)) };
  expect(await titlesOf(newCalendar())).toEqual(["day 0.5", "day 13"]);
});

it("is read by workers themselves, before an analysis asks", async () => {
  const background = newCalendar().keepCurrent();
  await vi.waitFor(async () => {
    expect((await readEconomicCalendar(database))?.events).toHaveLength(1);
  });
  await background.stop();
  expect(asked).toBe(1);
});
