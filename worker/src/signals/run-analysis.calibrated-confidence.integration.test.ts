import { type Database, openDatabase } from "@shared/database/database.ts";
import { pendingTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withCalibration } from "./run-analysis.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const { analysis } = pendingTrade({ at: NOW, confidence: 80 });

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterAll(() => database.close());

const calibrate = async (secondsLater: number) => {
  if (!analysis) throw new Error("a trade has an analysis");
  const now = () => new Date(NOW.getTime() + secondsLater * 1_000);
  const deps = { database, logger: pino({ enabled: false }), now };
  return (await withCalibration(deps, analysis)).calibrated_confidence;
};

it("a new signal carries its calibrated confidence once there is a record, and goes without if it cannot be read", async () => {
  expect(await calibrate(0)).toBeNull();
  const before = new Date(NOW.getTime() - 1);
  await database.calibrations.insertOne({
    data: "live",
    analyst: "rules",
    version: "rules/1",
    model: "rules",
    method: "platt",
    count: 300,
    fittedAt: before,
    fittedUntil: before,
    curve: [
      { stated: 0.6, calibrated: 0.4 },
      { stated: 1, calibrated: 0.6 },
    ],
  });
  expect(await calibrate(1)).toBe(50);
  await database.close();
  expect(await calibrate(2)).toBeNull();
});
