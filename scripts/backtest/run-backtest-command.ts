import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { createLogger } from "@shared/node/logger.ts";
import { loadSettings, productVersion, readDotEnv, type Settings } from "@shared/node/settings.ts";
import { tradingCostTable } from "@shared/node/trading-costs.ts";
import { CandleFileError } from "../../worker/src/backtest/recorded-library.ts";
import { renderReport } from "../../worker/src/backtest/report/render-report.ts";
import type {
  BacktestOptions,
  BacktestReport,
} from "../../worker/src/backtest/report/report-schema.ts";
import { runBacktest } from "../../worker/src/backtest/run-backtest.ts";
import { ProviderError } from "../../worker/src/providers/provider-error.ts";
import { PlainError } from "../lib/plain-error.mjs";
import { resolveTyped } from "../lib/resolve-typed.mjs";
import { describeReport } from "./describe-report.ts";
import { openAnalyst } from "./open-analyst.ts";
import { type Candles, openCandles } from "./open-candles.ts";
import { startProgress } from "./progress.ts";
import { type BacktestOrders, readOrders, USAGE } from "./read-orders.ts";

interface Command {
  args: readonly string[];
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Walks the candles that the command line asks for, and writes what came of it to a folder of its own.
 * @returns the report; null where only help was asked for
 * @throws PlainError for orders that cannot be carried out
 */
export async function runBacktestCommand(command: Command): Promise<BacktestReport | null> {
  const orders = readOrders(command.args);
  if (!orders) {
    command.say(USAGE);
    return null;
  }
  readDotEnv();
  const settings = loadSettings();
  const report = await inPlainWords(() => walk(command, { orders, settings }));
  const stamp = report.made_at.slice(0, 19).replaceAll(":", "-");
  const folder = orders.out
    ? resolveTyped(orders.out)
    : join(settings.DATA_DIR, "backtests", stamp);
  await mkdir(folder, { recursive: true });
  const json = join(folder, "report.json");
  const html = join(folder, "report.html");
  await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(html, renderReport(report));
  for (const line of [...describeReport(report), "", html, json]) command.say(line);
  return report;
}

async function walk(
  { say, signal }: Command,
  { orders, settings }: { orders: BacktestOrders; settings: Settings },
): Promise<BacktestReport> {
  const { analyst, cacheUse } = openAnalyst(orders.analyst, settings);
  const logger = createLogger({ part: "backtest", level: "silent" });
  const candles = await openCandles({
    orders,
    settings,
    logger,
    abort: signal,
    onCandles: (fetched) => say(`Fetched ${fetched} candles.`),
  });
  const { course } = candles;
  const bars = startProgress({
    label: "Walking",
    total: course.lastBar - course.firstBar + 1,
    say,
  });
  const chance = { label: "Random entries", total: orders.repetitions, say };
  let repetitions: ReturnType<typeof startProgress> | undefined;
  try {
    return await runBacktest({
      ...candles,
      options: optionsOf({ orders, settings, candles }),
      analyst,
      cacheUse,
      now: Date.now,
      productVersion: productVersion(),
      abort: signal,
      onBar: bars.step,
      onRepetition: () => {
        if (!repetitions) bars.end();
        repetitions ??= startProgress(chance);
        repetitions.step();
      },
    });
  } finally {
    if (repetitions) repetitions.end();
    else bars.end();
  }
}

function optionsOf({
  orders,
  settings,
  candles,
}: {
  orders: BacktestOrders;
  settings: Settings;
  candles: Candles;
}): BacktestOptions {
  const { symbol, timeframe, analyst, bars, every, limit, amount, leverage } = orders;
  return {
    ...{ symbol, timeframe, analyst, bars, every, limit, amount, leverage },
    from: orders.csv === undefined ? orders.from : "csv",
    warm_up: candles.course.firstBar + 1,
    risk_percent: orders.risk,
    costs: orders.costs ?? tradingCostTable(settings)[instrumentClass(symbol)],
    seed: orders.seed,
    repetitions: orders.repetitions,
  };
}

/** What a file or a provider has to say against it is one line for whoever typed the command. */
async function inPlainWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CandleFileError || error instanceof ProviderError) {
      throw new PlainError(error.message, { cause: error });
    }
    throw error;
  }
}
