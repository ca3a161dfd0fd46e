import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@shared/node/database.ts";
import { appendPending } from "@shared/node/ledger/append-pending.ts";
import { headFile, readHeadFile } from "@shared/node/ledger/head-file.ts";
import { readHead } from "@shared/node/ledger/read-ledger.ts";
import { createLogger } from "@shared/node/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { type HttpStandIn, readText, startHttpStandIn } from "@shared/testing/stand-in-http.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type PublishHeadDeps, publishLedgerHead } from "./publish-ledger-head.ts";

const FRIDAY = new Date("2025-01-31T00:00:00.000Z");
const SATURDAY = new Date("2025-02-01T00:00:00.000Z");

describe("publishing the ledger's head", () => {
  let database: Database;
  let dataDir: string;
  let receiver: HttpStandIn;
  let posted: unknown[];
  /** What the webhook answers next; 204 after that. */
  let answers: number[];
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri("heads") });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    const collections = ["signals", "ledger", "ledgerReveals", "ledgerHeads"] as const;
    for (const name of collections) await database[name].collection.deleteMany({});
    await database.ledgerPublications.deleteMany({});
    dataDir = mkdtempSync(join(tmpdir(), "heads-"));
    posted = [];
    answers = [];
    receiver = await startHttpStandIn(async (request, response) => {
      posted.push(JSON.parse(await readText(request)));
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  afterEach(async () => {
    await receiver.close();
    rmSync(dataDir, { recursive: true });
  });

  const publish = (at: Date, overrides: Partial<PublishHeadDeps> = {}) =>
    publishLedgerHead({
      database,
      dataDir,
      logger: createLogger({ part: "test", level: "silent" }),
      webhookUrl: receiver.url,
      now: () => at,
      abort: new AbortController().signal,
      firstRetryMs: 1,
      ...overrides,
    });
  const grow = async () => {
    await createSignals(database, await createUser(database));
    await appendPending({ database, now: () => new Date() });
    return readHead(database);
  };

  it("does nothing while the ledger is empty", async () => {
    await publish(FRIDAY);
    expect(await readHeadFile(headFile(dataDir))).toEqual([]);
    expect(posted).toEqual([]);
  });

  it("writes one line a day and posts it once, however often it is called", async () => {
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
    expect(posted).toEqual([friday, saturday]);
  });

  it("gives the file of another worker the days that it lacks", async () => {
    await grow();
    await publish(FRIDAY, { webhookUrl: undefined });
    const other = join(dataDir, "other");
    await publish(SATURDAY, { webhookUrl: undefined, dataDir: other });
    const days = (await readHeadFile(headFile(other))).map(({ day }) => day);
    expect(days).toEqual(["2025-01-31", "2025-02-01"]);
  });

  it("tries the webhook again when it fails, and once more at the next call", async () => {
    await grow();
    answers = [500, 503];
    await publish(FRIDAY);
    expect(posted).toHaveLength(3);
    await publish(FRIDAY);
    expect(posted).toHaveLength(3);

    answers = Array.from({ length: 6 }, () => 500);
    await expect(publish(SATURDAY)).rejects.toThrow("answered with 500");
    expect(await readHeadFile(headFile(dataDir))).toHaveLength(2);
    await publish(SATURDAY);
    expect(posted).toHaveLength(3 + 6 + 1);
  });

  it("does not follow a webhook elsewhere", async () => {
    await grow();
    const moved = await startHttpStandIn(async (_, response) => {
      response.writeHead(307, { Location: receiver.url }).end();
    });
    await expect(publish(FRIDAY, { webhookUrl: moved.url })).rejects.toThrow();
    expect(posted).toEqual([]);
    await moved.close();
  });
});
