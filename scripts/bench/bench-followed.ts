import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { FOLLOW_DELAYS, followedSchema } from "@shared/contract/followed.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import type { Database } from "@shared/database/database.ts";
import type { DeliveryRecord } from "@shared/database/models/channel.ts";
import type { CandlesRecord } from "@shared/database/models/market-analysis.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { packCandles } from "@shared/database/stored-candles.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals, resolvedTrade } from "@shared/testing/signal-factory.ts";
import { Types } from "mongoose";
import { type BenchOptions, percentile, printTable, startProduct } from "./start-product.ts";

const SIGNALS = 5_000;
const HELD_MINUTES = 60;
/** Of the trades that `resolvedTrade` gives. */
const ENTRY = 100;
const FUNDING = { percent: 0.01, hours: 1 };
const FEW = 10;
const WARM_UP = 40;
const REQUESTS = 40;

/**
 * Measures the account that had followed 5,000 signals: the first request of a server, which has read none of them, and
 * later ones, in turn with the same for a user with few.
 */
export async function benchFollowed({ database, uri }: BenchOptions): Promise<void> {
  const many = await createUser(database, { approved: true });
  const few = await createUser(database, { approved: true });
  await addTrades(database, many, SIGNALS);
  await addTrades(database, few, FEW);
  const rows = [];
  for (const delay of FOLLOW_DELAYS) {
    const product = await startProduct({ database, uri, workers: 0 });
    const timed = async (user: UserRecord, trades: number) => {
      const token = signTokenFor(user, product.settings);
      const startedAt = performance.now();
      const url = `${product.apiUrl}/me/followed?delay=${delay}`;
      const followed = await expectAnswer(followedSchema, url, { token });
      const tookMs = performance.now() - startedAt;
      if (followed.trades !== trades) throw new Error(`followed ${followed.trades} trades`);
      return tookMs;
    };
    try {
      // Compiles the code of the server.
      for (let count = 0; count < WARM_UP; count++) await timed(few, FEW);
      const first = await timed(many, SIGNALS);
      const times: number[] = [];
      const timesOfFew: number[] = [];
      while (times.length < REQUESTS) {
        times.push(await timed(many, SIGNALS));
        timesOfFew.push(await timed(few, FEW));
      }
      const [p50, p50OfFew] = [percentile(times, 0.5), percentile(timesOfFew, 0.5)];
      rows.push({
        delay,
        "first, ms": first,
        "p50, ms": p50,
        "p95, ms": percentile(times, 0.95),
        [`p50 / p50 of ${FEW}`]: p50 / p50OfFew,
      });
    } finally {
      await product.stop();
    }
  }
  printTable(`GET /me/followed, ${SIGNALS} signals`, rows);
}

/** Trades of the last hours, one after the other, each with its minutes and the message about it. */
async function addTrades(database: Database, user: UserRecord, count: number): Promise<void> {
  const minutes: CandlesRecord[] = [];
  const messages: DeliveryRecord[] = [];
  for (let index = 0; index < count; index++) {
    const at = new Date(Date.now() - (count - index + 1) * HOUR_MS);
    const resolvedAt = new Date(at.getTime() + HELD_MINUTES * MINUTE_MS);
    const outcome = index % 3 === 0 ? "WIN" : "LOSS";
    const symbol = PRODUCT_SYMBOLS[index % PRODUCT_SYMBOLS.length] ?? "BTC/USDT";
    const resolved = resolvedTrade({ at, outcome, resolvedAt });
    const trade = { ...resolved, symbol, market: { ...resolved.market, funding: FUNDING } };
    const [signal] = await createSignals(database, user, trade);
    if (!signal) throw new Error("no signal was stored");
    minutes.push(minutesOf(signal, at));
    messages.push(messageAbout(signal, at));
  }
  await database.outcomeCandles.collection.insertMany(minutes);
  await database.deliveries.collection.insertMany(messages);
}

const minutesOf = ({ analysisId }: SignalRecord, from: Date): CandlesRecord => ({
  _id: analysisId,
  ...packCandles(
    Array.from({ length: HELD_MINUTES }, (_, minute) => {
      const time = from.getTime() + minute * MINUTE_MS;
      return { time, open: ENTRY, high: ENTRY + 1, low: ENTRY - 1, close: ENTRY, volume: 1 };
    }),
  ),
});

function messageAbout({ userId }: SignalRecord, at: Date): DeliveryRecord {
  const deliveredAt = new Date(at.getTime() + 2_000);
  return {
    _id: new Types.ObjectId(),
    channelId: userId,
    userId,
    order: at.getTime(),
    type: "signal.completed",
    eventAt: at,
    status: "delivered",
    isRequested: false,
    attempts: 1,
    responseStatus: 200,
    error: null,
    nextAttemptAt: null,
    createdAt: new Date(),
    deliveredAt,
  };
}
