import { randomInt } from "node:crypto";
import { openDatabase } from "@shared/database/database.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveUnderWeather } from "../../worker/src/testing/weather-run.ts";
import { weatherScenario } from "../../worker/src/testing/weather-scenario.ts";
import { FIXED_SEEDS } from "../../worker/src/testing/weather-seeds.ts";
import { ReplicaSet } from "./harness/processes.ts";

const BATCH = 50;
const MAX_SEED = 2 ** 31 - BATCH;
const RUN_TIMEOUT_MS = 3_600_000;
/** To repeat a failure: `WEATHER_SEED=44 WEATHER_COUNT=1`. */
const COUNT = Number(process.env.WEATHER_COUNT ?? 1_000);
const FIRST_SEED = Number(process.env.WEATHER_SEED ?? randomInt(1, MAX_SEED - COUNT));

describe(`outcomes of ${COUNT} markets in bad weather, from seed ${FIRST_SEED} on`, () => {
  let mongo: ReplicaSet;
  beforeAll(async () => {
    mongo = await ReplicaSet.launch(1);
  });
  afterAll(() => mongo.remove());

  const random = Array.from({ length: COUNT }, (_, index) => FIRST_SEED + index);
  it.each([
    { name: "fixed", seeds: FIXED_SEEDS },
    { name: "random", seeds: random },
  ])(
    "are those of the complete series, in time: $name ones",
    async ({ name, seeds }) => {
      const wrong: unknown[] = [];
      for (let done = 0; done < seeds.length; done += BATCH) {
        const batch = seeds.slice(done, done + BATCH);
        const database = await openDatabase({ uri: mongo.uri(`weather-${name}-${done}`) });
        wrong.push(...(await resolveUnderWeather(database, batch.map(weatherScenario))));
        await database.close();
      }
      expect(wrong).toEqual([]);
    },
    RUN_TIMEOUT_MS,
  );
});
