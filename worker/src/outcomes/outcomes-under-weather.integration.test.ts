import { type Database, openDatabase } from "@shared/database/database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveUnderWeather } from "../testing/weather-run.ts";
import { weatherScenario } from "../testing/weather-scenario.ts";
import { ONE_OF_EACH_CAUSE } from "../testing/weather-seeds.ts";

describe("outcomes while providers fail in every way", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());

  it("are those of the complete series, in time", async () => {
    expect(await resolveUnderWeather(database, ONE_OF_EACH_CAUSE.map(weatherScenario))).toEqual([]);
  }, 300_000);
});
