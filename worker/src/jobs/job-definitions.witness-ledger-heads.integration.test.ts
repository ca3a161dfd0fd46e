import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { startFakeCalendar } from "@shared/testing/fakes/fake-calendar.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { witnessLedgerHeadsJob } from "./job-definitions.ts";

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ uri: testDatabaseUri() });
});
afterAll(() => database.close());

it("logs a witness that fails once, however many rounds that lasts, and its return", async () => {
  const now = () => new Date("2025-01-31T12:00:00.000Z");
  const at = "2025-01-31T00:00:00.000Z";
  await database.ledgerPublications.create({
    _id: "2025-01-31",
    seq: 1,
    hash: "ab".repeat(32),
    at,
  });
  const calendar = await startFakeCalendar();
  const logger = createLogger({ service: "test", level: "silent" });
  const warn = vi.spyOn(logger, "warn");
  const info = vi.spyOn(logger, "info");
  const settings = {
    LEDGER_CALENDARS: [calendar.url],
    LEDGER_GIT_REPOSITORY: undefined,
    LEDGER_WEBHOOK_URL: undefined,
  };
  const job = witnessLedgerHeadsJob({ database, logger, now, settings });
  const round = () => job.work(new AbortController().signal);

  calendar.behave("unavailable");
  await round();
  await round();
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ witness: calendar.url }),
    "ledger witness failed",
  );
  expect(info).not.toHaveBeenCalled();

  calendar.behave(null);
  await round();
  await round();
  expect(info).toHaveBeenCalledExactlyOnceWith(
    { witness: calendar.url },
    "ledger witness works again",
  );
  expect(warn).toHaveBeenCalledTimes(1);
  await calendar.close();
});
