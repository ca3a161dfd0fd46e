import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "@shared/contract/constants.ts";
import { SYMBOL_SUGGESTIONS } from "@shared/contract/instruments.ts";
import { type Database, nativeDb, openDatabase } from "@shared/database/database.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { searchKeyOf, type UserRecord } from "@shared/database/models/user.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { endRecording, recordedScans, recordScans } from "@shared/testing/collection-scans.ts";
import {
  createUser,
  newSession,
  newWatchlistItem,
  signTokenFor,
} from "@shared/testing/factories.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { resolvedTrade, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { type mongo, Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ApiClient,
  type LiveServer,
  startLiveServer,
  TEST_SECRETS,
} from "../../server/src/testing/start-live-server.ts";
import { deleteOldAnalyses } from "../../worker/src/jobs/delete-old-analyses.ts";
import { appendRecords } from "../../worker/src/record/append-records.ts";
import { updatePerformanceStats } from "../../worker/src/record/performance-stats.ts";
import { ReplicaSet } from "../faults/harness/processes.ts";
import { until } from "../faults/harness/until.ts";
import { projectRoot } from "../lib/prepare-project.mjs";

const USERS = 5_000;
const DAYS = 365;
/** Shorter than the year, so that something is deleted. */
const RETENTION_DAYS = 90;
/** Every market once in four hours. */
const ANALYSES_A_DAY = SYMBOL_SUGGESTIONS.length * 6;
const SIGNALS_A_USER = 40;
const EVENTS_A_USER = 30;
const BATCH_SIZE = 2_000;
const TIMEOUT_MS = 1_800_000;
const FREQUENT = { repeatInterval: / seconds$/ };

const now = new Date();
const logger = createLogger({ service: "test", level: "silent" });

describe(`a year of ${USERS} users`, () => {
  let mongod: ReplicaSet;
  let server: LiveServer;
  let database: Database;
  let worker: LiveWorker;
  let admin: UserRecord;
  let user: UserRecord;

  beforeAll(async () => {
    mongod = await ReplicaSet.launch(1);
    const databaseUri = mongod.uri("the-test");
    server = await startLiveServer({ databaseUri, env: { RATE_LIMIT: "off" } });
    database = await openDatabase({ uri: databaseUri });
    admin = await createUser(database, { role: "admin", approved: true });
    user = await createUser(database, { approved: true });
    worker = await LiveWorker.start(databaseUri);
    const made = await makeOne({ server, database, user });
    await worker.stop();
    await fillYear(database, { user, ...made });
    await mongod.members[0]?.command({ setParameter: 1, ttlMonitorSleepSecs: 1 });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await worker.close();
    await server.stop();
    await database.close();
    await mongod.remove();
  });

  it(
    "is in the database what the documentation states, and what is old is deleted",
    async () => {
      const abort = new AbortController().signal;
      const deps = { database, now: () => now, retentionDays: RETENTION_DAYS, abort };
      const { deleted, reduced } = await deleteOldAnalyses(deps);
      await until(async () => (await database.events.countDocuments()) <= keptEvents, {
        what: "old events deleted",
        withinMs: 120_000,
      });
      expect(deleted).toBeGreaterThan(0);
      expect(reduced).toBeGreaterThan(0);
      expect(await deleteOldAnalyses(deps)).toEqual({ deleted: 0, reduced: 0 });
      const measured = await measureCollections(database);
      console.table(measured);
      const stated = statedBytes();
      for (const { name, bytes } of measured) {
        expect.soft(stated.get(name) ?? 0, `bytes of ${name}`).toBeGreaterThanOrEqual(bytes);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "is read by indexes only",
    async () => {
      const authorization = `Bearer ${signTokenFor(admin, server.settings)}`;
      await recordScans(database);
      await worker.restart();
      const signal = await database.signals.findOne({ userId: user._id }).lean();
      for (const path of pagesOf(signal?._id)) {
        const { status, ok } = await fetch(server.url + path, { headers: { authorization } });
        expect(ok, `${path}: ${status}`).toBe(true);
      }
      await until(
        async () => {
          const jobs = await database.jobs.find(FREQUENT).lean();
          return jobs.every(({ lastFinishedAt }) => lastFinishedAt && lastFinishedAt > now);
        },
        { what: "a run of every frequent job", withinMs: 120_000 },
      );
      await endRecording(database);
      expect(await recordedScans(database)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

/** What an administrator, a user and a visitor look at. The administrator may see every signal's progress. */
const pagesOf = (signalId: unknown): string[] => [
  "/me",
  "/me/data",
  "/me/sessions",
  "/me/notifications",
  "/me/subscription",
  "/signal-history",
  "/signal-history?symbol=BTC/USDT&outcome=WIN",
  `/signals/${signalId}/since`,
  "/watchlist",
  "/channels",
  "/performance?period=all",
  "/performance/export?period=all",
  "/ledger",
  "/ledger/head",
  "/activity",
  "/markets",
  "/feed.xml",
  "/status",
  "/admin/list-users",
  "/admin/list-users?search=user-12",
  "/admin/overview",
  "/admin/usage",
  "/admin/health",
  "/admin/setup",
  "/admin/security-log",
  "/admin/subscriptions",
  "/admin/chart-images",
  "/admin/channels",
];

/** A worker process with an exchange and a model server. */
class LiveWorker {
  readonly #start: () => Promise<SpawnedService>;
  readonly #closeServices: () => Promise<unknown>;
  #process: SpawnedService;

  private constructor(options: {
    start: () => Promise<SpawnedService>;
    started: SpawnedService;
    closeServices: () => Promise<unknown>;
  }) {
    this.#start = options.start;
    this.#process = options.started;
    this.#closeServices = options.closeServices;
  }

  static async start(databaseUri: string): Promise<LiveWorker> {
    const [exchange, openai] = await Promise.all([startFakeExchange(), startFakeOpenAi()]);
    const start = () =>
      spawnService("worker", {
        ...TEST_SECRETS,
        MONGODB_URI: databaseUri,
        MARKET_DATA: "live",
        EXCHANGES: "binance",
        EXCHANGE_URL: exchange.url,
        OPENAI_API_KEY: "sk-test",
        OPENAI_BASE_URL: openai.baseUrl,
      });
    const closeServices = () => Promise.all([exchange.close(), openai.close()]);
    return new LiveWorker({ start, started: await start(), closeServices });
  }

  async stop(): Promise<void> {
    await this.#process.kill();
  }

  async restart(): Promise<void> {
    this.#process = await this.#start();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#closeServices();
  }
}

interface Made {
  signal: SignalRecord;
  analysis: MarketAnalysisRecord;
}

/** A signal that the worker made with the model's answer. */
async function makeOne(product: {
  server: LiveServer;
  database: Database;
  user: UserRecord;
}): Promise<Made> {
  const { server, database, user } = product;
  const api = new ApiClient({ url: server.url, settings: server.settings });
  const { status } = await api.post(user, "/get-signal", { symbol: "BTC/USDT", timeframe: "1h" });
  expect(status).toBe(200);
  const signal = await database.signals.findOne({ userId: user._id }).lean();
  const analysis = await database.marketAnalyses.findById(signal?.analysisId).lean();
  if (!signal || !analysis) throw new Error("no signal was made");
  return { signal, analysis };
}

const at = (fraction: number): Date => new Date(now.getTime() - fraction * DAYS * DAY_MS);

/** Multiplies what the product has made, with new ids and the times of a year. */
async function fillYear(
  database: Database,
  { user, signal, analysis }: Made & { user: UserRecord },
): Promise<void> {
  const users = await fillUsers(database, user);
  const analysisIds = await fillAnalyses(database, analysis);
  await insertMany(storedIn(database, "signals"), USERS * SIGNALS_A_USER, (index) => {
    const time = at(index / (USERS * SIGNALS_A_USER));
    // Half of the analyses, such as those of users who are gone, have no signal.
    const of = analysisIds[(index * 2) % analysisIds.length];
    return {
      ...signal,
      _id: new Types.ObjectId(),
      userId: pick(users, index),
      analysisId: of ?? signal.analysisId,
      createdAt: time,
      finishedAt: time,
      updatedAt: time,
    };
  });
  await fillEvents(database, users);
  while ((await appendRecords({ database, now: () => now })) > 0);
  await updatePerformanceStats({ database, logger, now: () => now });
}

const pick = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("there are no items");
  return item;
};

async function fillUsers(database: Database, user: UserRecord): Promise<Types.ObjectId[]> {
  const ids = Array.from({ length: USERS }, () => new Types.ObjectId());
  await insertMany(storedIn(database, "users"), USERS, (index) => {
    const name = `year-user-${index}`;
    const keys = { usernameKey: name, emailKey: `${name}@example.com` };
    return {
      ...user,
      ...keys,
      _id: pick(ids, index),
      username: name,
      email: keys.emailKey,
      searchKey: searchKeyOf(keys),
      identityId: new Types.ObjectId().toString(),
      sessions: [newSession(), newSession()],
      createdAt: at(index / USERS),
    };
  });
  await insertMany(storedIn(database, "watchlistItems"), USERS * 5, (index) =>
    newWatchlistItem(
      { _id: pick(ids, index) },
      { symbol: pick(SYMBOL_SUGGESTIONS, Math.floor(index / USERS)), timeframe: "4h" },
    ),
  );
  await insertMany(storedIn(database, "creditEntries"), USERS * 24, (index) => ({
    _id: new Types.ObjectId(),
    userId: pick(ids, index),
    kind: "grant" as const,
    amount: 20,
    balance: 20,
    by: "system",
    why: "Image credits of the plan Pro for one month.",
    period: new Date(index * 1_000),
    at: at(index / (USERS * 24)),
  }));
  await insertMany(storedIn(database, "billingPeriods"), USERS * 12, (index) => ({
    _id: new Types.ObjectId(),
    userId: pick(ids, index),
    plan: "pro" as const,
    months: 1,
    monthlyUsd: 150,
    imageCredits: 200,
    subscribedAt: at(1),
    firstMonth: Math.floor(index / USERS),
    startedAt: at(1),
    endsAt: at(0),
    by: "admin",
    createdAt: at(1),
  }));
  return ids;
}

async function fillAnalyses(
  database: Database,
  template: MarketAnalysisRecord,
): Promise<Types.ObjectId[]> {
  const count = ANALYSES_A_DAY * DAYS;
  const ids = Array.from({ length: count }, () => new Types.ObjectId());
  const { ledgerSeq: _seq, outcomeLedgerSeq: _outcomeSeq, countedOn: _day, ...made } = template;
  const { resolveAt: _resolveAt, result, ...shared } = made;
  await insertMany(storedIn(database, "marketAnalyses"), count, (index) => {
    const time = at(index / count);
    const { market, analysis } = resolvedTrade({
      outcome: index % 2 === 0 ? "WIN" : "LOSS",
      at: time,
      resolvedAt: time,
    });
    const isTrade = index % 3 === 0;
    const figures = isTrade ? analysis : WAIT_ANALYSIS;
    const given = { ...figures, raw_ai: result?.analysis.raw_ai, source: analysis?.source };
    return {
      ...shared,
      _id: pick(ids, index),
      key: `${index}`,
      symbol: pick(SYMBOL_SUGGESTIONS, index),
      timeframe: "4h" as const,
      candleClosedAt: time,
      createdAt: time,
      startedAt: time,
      finishedAt: time,
      updatedAt: time,
      result: { ...result, analysis: given },
      ...(isTrade && market),
    };
  });
  const candles = await database.analysisCandles.findById(template._id).lean();
  await insertMany(storedIn(database, "analysisCandles"), count, (index) => ({
    ...candles,
    _id: pick(ids, index),
  }));
  await insertMany(storedIn(database, "outcomeCandles"), Math.ceil(count / 3), (index) => ({
    ...candles,
    _id: pick(ids, index * 3),
  }));
  return ids;
}

const keptEvents = (USERS * EVENTS_A_USER * 8) / 30;

/** Of the last month; the database keeps those of a week. */
async function fillEvents(database: Database, users: readonly Types.ObjectId[]): Promise<void> {
  const event = await database.events.findOne({ name: "signal:completed" }).lean();
  if (!event) throw new Error("there is no event of a signal");
  await insertMany(storedIn(database, "events"), USERS * EVENTS_A_USER, (index) => ({
    ...event,
    _id: new Types.ObjectId(),
    stream: `user:${pick(users, index)}`,
    seq: Math.floor(index / USERS) + 1,
    at: new Date(now.getTime() - (index / (USERS * EVENTS_A_USER)) * 30 * DAY_MS),
  }));
  await insertMany(storedIn(database, "securityLog"), USERS * 20, (index) => ({
    _id: new Types.ObjectId(),
    at: at(index / (USERS * 20)),
    type: "login:succeeded",
    user: `year-user-${index % USERS}`,
    details: {},
    requestId: randomUUID(),
  }));
}

type Filled =
  | "analysisCandles"
  | "billingPeriods"
  | "creditEntries"
  | "events"
  | "marketAnalyses"
  | "outcomeCandles"
  | "securityLog"
  | "signals"
  | "users"
  | "watchlistItems";

/** The documents are copies of what the product stored, so they need no types. */
const storedIn = (database: Database, name: Filled): mongo.Collection =>
  nativeDb(database.connection).collection(database[name].collection.collectionName);

async function insertMany(
  collection: mongo.Collection,
  count: number,
  make: (index: number) => mongo.Document,
): Promise<void> {
  for (let start = 0; start < count; start += BATCH_SIZE) {
    const length = Math.min(BATCH_SIZE, count - start);
    const documents = Array.from({ length }, (_, offset) => make(start + offset));
    await collection.insertMany(documents, { ordered: false });
  }
}

const statsSchema = z.object({ count: z.number(), avgObjSize: z.number().optional() });

async function measureCollections({ connection }: Database) {
  const db = nativeDb(connection);
  const collections = await db.listCollections({ type: "collection" }).toArray();
  const measured: { name: string; count: number; bytes: number }[] = [];
  for (const { name } of collections.filter((each) => !each.name.startsWith("system."))) {
    const { count, avgObjSize = 0 } = statsSchema.parse(await db.command({ collStats: name }));
    if (count > 0) measured.push({ name, count, bytes: Math.round(avgObjSize) });
  }
  return measured.toSorted((a, b) => b.count * b.bytes - a.count * a.bytes);
}

/** Bytes of a document of each collection, from the tables in the documentation. */
function statedBytes(): Map<string, number> {
  const text = readFileSync(join(projectRoot, "docs/scaling.md"), "utf8");
  const rows = [...text.matchAll(/^\| (`[^|]+`) \|(?:[^|]*\|)? ([\d,]+) \|/gm)];
  return new Map(
    rows.flatMap(([, names = "", bytes = ""]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [
        name,
        Number(bytes.replaceAll(",", "")),
      ]),
    ),
  );
}
