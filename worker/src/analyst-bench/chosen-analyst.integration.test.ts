import { type Database, openDatabase } from "@shared/database/database.ts";
import { ANALYST_CHOICE_ID } from "@shared/database/models/analyst-bench.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import { startHeartbeat } from "../start-worker.ts";
import { silentLogger } from "../testing/fakes.ts";
import { ChosenAnalyst } from "./chosen-analyst.ts";

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterEach(() => vi.useRealTimers());
afterAll(() => database.close());

const analystOf = (version: string) => ({ ...rulesAnalyst, version });

it("a running worker takes the analyst that an administrator chooses within ten seconds, and gives it up as soon", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const chosen = new ChosenAnalyst({
    database,
    logger: silentLogger,
    ofSettings: { analyst: analystOf("settings/1"), model: "settings" },
    arms: [
      { id: "blind", product: null },
      { id: "better", product: { analyst: analystOf("better/1"), model: "better" } },
    ],
    wrap: (analyst) => ({ ...analyst, version: `${analyst.version} counted` }),
  });
  const worker = await startHeartbeat({
    workerId: "worker-1",
    database,
    logger: silentLogger,
    now: database.now,
    chosen,
    concurrency: 1,
    market: { currentSource: () => "replay", health: () => [] },
  });
  const choose = async (arm: string) => {
    const $set = { arm, chosenAt: new Date() };
    await database.analystChoices.updateOne({ _id: ANALYST_CHOICE_ID }, { $set }, { upsert: true });
    vi.advanceTimersByTime(10_000);
  };
  const untilMadeBy = (version: string, model: string) =>
    vi.waitFor(async () => {
      expect(chosen.current.analyst.version).toBe(version);
      // The administration shows it, and requests share analyses of this version and model only.
      const [setup] = await database.analysisSetup.find().lean();
      expect(setup).toMatchObject({ analystVersion: version, model });
    });
  try {
    await untilMadeBy("settings/1", "settings");
    await choose("better");
    await untilMadeBy("better/1 counted", "better");
    // This worker has no such arm that could be the analyst.
    await choose("blind");
    await untilMadeBy("settings/1", "settings");
    await choose("better");
    await untilMadeBy("better/1 counted", "better");
    await database.analystChoices.deleteOne({ _id: ANALYST_CHOICE_ID });
    vi.advanceTimersByTime(10_000);
    await untilMadeBy("settings/1", "settings");
  } finally {
    await worker.stop();
  }
});
