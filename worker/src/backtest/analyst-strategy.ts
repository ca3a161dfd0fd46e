import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SizingInput } from "@shared/contract/position-size.ts";
import type { TradingCosts } from "@shared/contract/resolution.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { holdLimit } from "@shared/outcomes/hold-limit.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
import { z } from "zod";
import { generateSignal } from "../analysis/analyse-market.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  adviceSchema,
} from "../analysis/analyst.ts";
import { createEvidence } from "../analysis/evidence/evidence-pack.ts";
import { NO_EVENTS } from "../economic-events/economic-calendar.ts";
import type { MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { marketAsOf } from "./recorded-market.ts";
import { type BacktestRange, closeOf, type Decision, type Strategy, tradeAt } from "./simulate.ts";

/** After this many failures in a row, the remaining requests would fail as well. */
const MAX_FAILURES = 5;

export interface AnalystRecord {
  statements: { at: number; analysis: Analysis }[];
  failed: number;
}

/**
 * Requests advice at the close of a bar as a live signal does, with the market as it was then.
 * @throws ProviderError after five failures in a row
 */
export function analystStrategy(options: {
  course: BacktestRange;
  market: MarketData;
  analyst: Analyst;
  stake: SizingInput;
  costs: TradingCosts;
  limit: number;
  abort: AbortSignal;
}): { decide: Strategy; record: AnalystRecord } {
  const { course, market, stake, limit, abort } = options;
  const { symbol, timeframe } = course;
  const request = { symbol, timeframe, limit, ...stake };
  const record: AnalystRecord = { statements: [], failed: 0 };
  let failedInARow = 0;
  const ask = async (at: number): Promise<Analysis | null> => {
    const now = () => at;
    const marketData = marketAsOf(market, now);
    // A calendar of today does not say what was known then.
    const evidence = createEvidence({ marketData, events: NO_EVENTS, guard: "off" });
    try {
      const { analysis } = await generateSignal({ ...options, request, marketData, evidence, now });
      failedInARow = 0;
      return analysis;
    } catch (error) {
      if (abort.aborted || !(error instanceof ProviderError)) throw error;
      record.failed += 1;
      failedInARow += 1;
      if (failedInARow >= MAX_FAILURES) throw error;
      return null;
    }
  };
  const decide = async (bar: number): Promise<Decision | null> => {
    const at = closeOf(course, bar);
    const analysis = await ask(at);
    if (!analysis) return null;
    record.statements.push({ at, analysis });
    const trade = advisedTrade(analysis, course, bar);
    const { confidence, estimated_dollar_risk: dollarRisk } = analysis;
    return trade && { trade, confidence, dollarRisk };
  };
  return { decide, record };
}

function advisedTrade(analysis: Analysis, course: BacktestRange, bar: number): Trade | null {
  const { final_signal: side, entry, stop_loss: stopLoss, take_profit: takeProfit } = analysis;
  if (side === "WAIT" || entry === null || stopLoss === null || takeProfit === null) return null;
  const trade = tradeAt(course, bar);
  return {
    ...trade,
    side,
    entry,
    stopLoss,
    takeProfit,
    validUntil: analysis.valid_until ? Date.parse(analysis.valid_until) : trade.validUntil,
    holdCandles: holdLimit({
      candles: analysis.hold_candles ?? null,
      text: analysis.suggested_hold,
      timeframe: course.timeframe,
      from: trade.createdAt,
    }),
  };
}

const cachedReplySchema = z.object({
  advice: adviceSchema,
  model: z.string(),
  prompt: z.string(),
  rawReply: z.string(),
});

export interface CacheUse {
  asked: number;
  kept: number;
}

/**
 * Stores answers as `<directory>/<sha256 of model and prompt>.json`, so that no request is paid for twice.
 * Failures and cut off answers are not stored.
 */
export function cachedAnalyst(options: {
  analyst: Analyst;
  model: string;
  /** Everything that the model is sent, including corrections. */
  promptOf: (request: AdviceRequest) => string;
  directory: string;
}): { analyst: Analyst; use: CacheUse } {
  const { analyst, model, promptOf, directory } = options;
  const use: CacheUse = { asked: 0, kept: 0 };
  const advise = async (request: AdviceRequest): Promise<AdviceReply> => {
    const question = JSON.stringify([model, promptOf(request)]);
    const file = join(directory, `${createHash("sha256").update(question).digest("hex")}.json`);
    const kept = await readReply(file);
    if (kept) {
      use.kept += 1;
      return kept;
    }
    use.asked += 1;
    const reply = await analyst.advise(request);
    if (reply.cutOff === undefined) await writeReply(file, reply);
    return reply;
  };
  return { analyst: { ...analyst, advise }, use };
}

async function readReply(file: string): Promise<AdviceReply | null> {
  try {
    return cachedReplySchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    // Missing, damaged or outdated answers are requested.
    if (error instanceof Error && "code" in error && error.code !== "ENOENT") throw error;
    return null;
  }
}

/** Renamed when complete, so that a stopped run leaves no partial answer. */
async function writeReply(file: string, reply: AdviceReply): Promise<void> {
  const { advice, model, prompt, rawReply } = reply;
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID()}.part`;
  await writeFile(unfinished, JSON.stringify({ advice, model, prompt, rawReply }));
  await rename(unfinished, file);
}
