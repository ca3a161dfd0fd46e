import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { headFile, readHeadFile, readLedgerHead } from "@shared/domain/ledger.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appendRecords } from "./append-records.ts";
import { type PublishHeadDeps, publishLedgerHead } from "./ledger-heads.ts";

const FRIDAY = new Date("2025-01-31T00:00:00.000Z");
const SATURDAY = new Date("2025-02-01T00:00:00.000Z");

describe("publishing the ledger's head", () => {
  let database: Database;
  let dataDir: string;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    const collections = ["signals", "ledger", "ledgerReveals", "ledgerHeads"] as const;
    for (const name of collections) await database[name].collection.deleteMany({});
    await database.ledgerPublications.deleteMany({});
    dataDir = mkdtempSync(join(tmpdir(), "heads-"));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const publish = (at: Date, overrides: Partial<PublishHeadDeps> = {}) =>
    publishLedgerHead({
      database,
      dataDir,
      logger: createLogger({ service: "test", level: "silent" }),
      now: () => at,
      ...overrides,
    });
  const grow = async () => {
    await createSignals(database, await createUser(database));
    await appendRecords({ database, now: () => new Date() });
    return readLedgerHead(database);
  };

  it("does nothing while the ledger is empty", async () => {
    await publish(FRIDAY);
    expect(await readHeadFile(headFile(dataDir))).toEqual([]);
    expect(await database.ledgerPublications.countDocuments()).toBe(0);
  });

  it("writes one line a day, however often it is called", async () => {
    const friday = { day: "2025-01-31", ...(await grow()) };
    await publish(FRIDAY);
    const later = await grow();
    await publish(new Date(FRIDAY.getTime() + 3_600_000));
    const saturday = { day: "2025-02-01", ...later };
    await publish(SATURDAY);
    expect(readFileSync(headFile(dataDir), "utf8")).toBe(
      [friday, saturday]
        .map(({ day, seq, hash, at }) => `${JSON.stringify({ day, seq, hash, at })}\n`)
        .join(""),
    );
  });

  it("gives the file of another worker the days that it lacks", async () => {
    await grow();
    await publish(FRIDAY);
    const other = join(dataDir, "other");
    await publish(SATURDAY, { dataDir: other });
    const days = (await readHeadFile(headFile(other))).map(({ day }) => day);
    expect(days).toEqual(["2025-01-31", "2025-02-01"]);
  });
});
