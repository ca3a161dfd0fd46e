import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { newSignalId } from "@shared/domain/queue-signal.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { z } from "zod";
import { percentile, printTable, timeRequests } from "./lib/report.ts";
import { startProduct } from "./lib/start-product.ts";

const TOTALS = [10_000, 100_000, 1_000_000] as const;
const SIGNALS_OF_A_USER = 1_000;
const READERS = 10;
const PAGES = 200;
const STEP_MS = 60_000;

const pageSchema = z.object({ next_cursor: z.string().nullable() });

/** Measures a page of somebody's history while the product holds ever more signals of others. */
export async function benchHistory(options: { database: Database; uri: string }): Promise<void> {
  const { database } = options;
  const product = await startProduct({ ...options, workers: 0 });
  const settings = loadSettings({ JWT_SECRET: product.jwtSecret, ADMIN_PASSWORD: "not used" });
  const readers = await Promise.all(
    Array.from({ length: READERS }, () => createUser(database, { approved: true })),
  );
  const tokens = readers.map((reader) => signTokenFor(reader, settings));
  const token = (index: number) => tokens[index % READERS] ?? "";
  const url = `${product.apiUrl}/signal-history`;
  const rows = [];
  let users = 0;
  try {
    for (const total of TOTALS) {
      for (; users * SIGNALS_OF_A_USER < total; users++) {
        await storeHistory(database, readers[users]?._id ?? newSignalId());
      }
      const deep = await Promise.all(tokens.map((each) => deepPageUrl(url, each)));
      await timeRequests(READERS, (index) => ({ url, token: token(index) }));
      const first = await timeRequests(PAGES, (index) => ({ url, token: token(index) }));
      const later = await timeRequests(PAGES, (index) => ({
        url: deep[index % READERS] ?? url,
        token: token(index),
      }));
      rows.push({
        "stored signals": total,
        "first page p50, ms": percentile(first.times, 0.5),
        "first page p95, ms": percentile(first.times, 0.95),
        "page 11 p50, ms": percentile(later.times, 0.5),
        "page 11 p95, ms": percentile(later.times, 0.95),
      });
    }
    printTable(`History: a page of 50 signals, ${SIGNALS_OF_A_USER} signals a user`, rows);
  } finally {
    await product.stop();
  }
}

/** Address of the page after the first ten. */
async function deepPageUrl(url: string, token: string): Promise<string> {
  let cursor: string | null = "";
  for (let page = 0; page < 10; page++) {
    const headers = { authorization: `Bearer ${token}` };
    const query: string = cursor ? `?cursor=${encodeURIComponent(cursor)}` : "";
    const answer: unknown = await (await fetch(`${url}${query}`, { headers })).json();
    cursor = pageSchema.parse(answer).next_cursor;
  }
  return `${url}?cursor=${encodeURIComponent(cursor ?? "")}`;
}

async function storeHistory(database: Database, userId: UserRecord["_id"]): Promise<void> {
  const newest = Date.now();
  const signals = Array.from({ length: SIGNALS_OF_A_USER }, (_, index) =>
    finishedSignal(userId, new Date(newest - index * STEP_MS)),
  );
  await database.signals.collection.insertMany(signals, {
    ordered: false,
    writeConcern: { w: 1 },
  });
}

function finishedSignal(userId: UserRecord["_id"], createdAt: Date): SignalRecord {
  return {
    ...{ analysisId: newSignalId(), origin: "request" },
    ...{ _id: newSignalId(), userId, symbol: "BTC/USDT", timeframe: "1h", limit: 100 },
    ...{ amount: 1_000, riskPercent: 1, leverage: 1, status: "completed", revision: 1 },
    ...{ createdAt, updatedAt: createdAt, startedAt: createdAt, finishedAt: createdAt },
    outcome: "WIN",
    analysis: {
      ...{ final_signal: "BUY", confidence: 60, entry: 50_000, stop_loss: 49_850 },
      ...{ take_profit: 50_300, warnings: [], suggested_hold: "24 candles" },
      ...{ suggested_units: 0.02, estimated_dollar_risk: 3, required_margin: 1_000 },
      trade_duration_text: "",
      raw_ai: {
        ...{ confidence: 60, rationale: "The trend holds above its averages. ".repeat(8) },
        ...{ key_evidence: ["EMA 20 above EMA 50", "RSI 58"], market_condition: "trending" },
        what_to_watch_for: ["a close below the stop"],
      },
      source: {
        ...{ data: "replay", provider: "instant", model: "instant", analyst: "rules" },
        ...{ last_candle_at: createdAt.toISOString(), price: 50_000 },
      },
    },
  };
}

const USER_TOTALS = [1_000, 50_000] as const;
const BATCH = 10_000;
const REQUESTS = 15;

/** Measures the administrators' list of all users. */
export async function benchUsers(options: { database: Database; uri: string }): Promise<void> {
  const { database } = options;
  const product = await startProduct({ ...options, workers: 0 });
  const { apiUrl, jwtSecret } = product;
  const settings = loadSettings({ JWT_SECRET: jwtSecret, ADMIN_PASSWORD: "not used" });
  const token = signTokenFor(
    await createUser(database, { role: "admin", approved: true }),
    settings,
  );
  const rows = [];
  try {
    for (const total of USER_TOTALS) {
      await growTo(database, total);
      const url = `${apiUrl}/admin/list-users`;
      await timeRequests(3, () => ({ url, token }));
      const { times, bytes, wireBytes } = await timeRequests(REQUESTS, () => ({ url, token }));
      rows.push({
        users: total,
        "p50, ms": percentile(times, 0.5),
        "p95, ms": percentile(times, 0.95),
        "answer, MB": bytes / 2 ** 20,
        "on the wire, MB": wireBytes / 2 ** 20,
      });
    }
    printTable("GET /admin/list-users", rows);
  } finally {
    await product.stop();
  }
}

async function growTo(database: Database, total: number): Promise<void> {
  let count = await database.users.countDocuments();
  while (count < total) {
    const size = Math.min(BATCH, total - count);
    const from = count;
    const users = Array.from({ length: size }, (_, index) => newUser(from + index));
    await database.users.collection.insertMany(users, { ordered: false });
    count += size;
  }
}

function newUser(index: number): UserRecord {
  const username = `bench-user-${index}`;
  const email = `${username}@example.com`;
  const _id = newSignalId();
  return {
    ...{ _id, username, usernameKey: username, email, emailKey: email, emailVerified: true },
    ...{ identityId: _id.toString(), role: "user", approved: true, allowImageUpload: false },
    ...{ imageCredits: 0, sessionVersion: 0, keptSessionId: null, createdAt: new Date() },
    ...{ lastEventSeq: 0, unfinishedSignals: 0 },
  };
}
