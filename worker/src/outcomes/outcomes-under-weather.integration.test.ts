import { type Database, openDatabase } from "@shared/database/database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveUnderWeather } from "../testing/weather-run.ts";
import { weatherScenario } from "../testing/weather-scenario.ts";

/** Their outcomes were wrong once. */
const ONCE_WRONG = [
  597_222_647, 597_222_679, 597_222_741, 597_222_749, 597_222_759, 597_222_939, 597_222_943,
  597_222_972, 597_223_058, 597_223_066, 597_223_088, 597_223_114, 597_223_225, 597_223_260,
  597_223_283, 597_223_321, 597_223_379, 597_223_408, 597_223_412, 597_223_445, 597_223_446,
  597_223_455, 597_223_529, 597_223_539, 597_223_545, 1_023_071_728, 1_023_072_027, 1_023_072_104,
  1_023_072_281, 1_023_072_520, 276_938_542, 785_939_696, 1_030_078_799, 1_030_080_382, 334_127_046,
  334_127_063,
];
const SEEDS = [...ONCE_WRONG, ...Array.from({ length: 20 }, (_, index) => index + 1)];

describe("outcomes while providers fail in every way", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());

  it("are those of the complete series, in time", async () => {
    expect(await resolveUnderWeather(database, SEEDS.map(weatherScenario))).toEqual([]);
  }, 300_000);
});
