import { timeframeSchema } from "@shared/contract/candle.ts";
import { SIGNAL_DEFAULTS, SIGNAL_LIMITS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { symbolSchema } from "@shared/contract/signal.ts";
import { tradingCostsTextSchema } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { CliError, parseArguments } from "../lib/cli.ts";

export const USAGE = `Usage: npm run backtest -- [options]
  --symbol BTC/USDT      market
  --timeframe 1h         ${TIMEFRAMES.join(", ")}
  --analyst rules        rules, or openai (needs OPENAI_API_KEY; answers are cached, so that a rerun is free)
  --from recorded        recorded: the product's own recordings; provider: fetched from the live providers of the settings
  --csv file             your own candles: time (Unix ms),open,high,low,close,volume
  --bars 1000            maximum number of closes to decide on
  --warm-up 300          candles before them, for the indicators; 30 to 300
  --every 1              decide at every n-th close only
  --limit 50             candles that the analyst gets
  --amount 100 --risk 1 --leverage 1
                         USD, percent of it at risk, leverage
  --costs 0.01,0.05      spread and commission of each side, percent; those of the settings by default
  --seed 1 --repetitions 200
                         of the random entries
  --out folder           for report.json; DATA_DIR/backtests/<time> by default`;

const numberIn = (range: { min: number; max: number }) =>
  z.coerce.number().min(range.min).max(range.max);
const wholeNumber = (range: { min: number; max: number }) => numberIn(range).int();

const argsSchema = z.object({
  symbol: symbolSchema.default(SIGNAL_DEFAULTS.symbol),
  timeframe: timeframeSchema.default(SIGNAL_DEFAULTS.timeframe),
  analyst: z.enum(["rules", "openai"]).default("rules"),
  from: z.enum(["recorded", "provider"]).default("recorded"),
  csv: z.string().min(1).optional(),
  bars: wholeNumber({ min: 1, max: 100_000 }).default(1_000),
  "warm-up": wholeNumber({ min: 30, max: 300 }).default(300),
  every: wholeNumber({ min: 1, max: 10_000 }).default(1),
  limit: wholeNumber(SIGNAL_LIMITS.limit).default(SIGNAL_DEFAULTS.limit),
  amount: z.coerce.number().positive().max(1e12).default(SIGNAL_DEFAULTS.amount),
  risk: z.coerce
    .number()
    .positive()
    .max(SIGNAL_LIMITS.riskPercent.max)
    .default(SIGNAL_DEFAULTS.riskPercent),
  leverage: numberIn(SIGNAL_LIMITS.leverage).default(SIGNAL_DEFAULTS.leverage),
  costs: tradingCostsTextSchema.optional(),
  seed: wholeNumber({ min: 0, max: 2 ** 31 - 1 }).default(1),
  repetitions: wholeNumber({ min: 1, max: 10_000 }).default(200),
  out: z.string().min(1).optional(),
});
export type BacktestArgs = z.infer<typeof argsSchema>;

/** Null if they ask for help. */
export function parseBacktestArgs(args: readonly string[]): BacktestArgs | null {
  const names = Object.keys(argsSchema.shape);
  const text = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const options = { ...text, help: { type: "boolean" as const, short: "h" } };
  const { help, ...given } = parseArguments({ args: [...args], options }, USAGE).values;
  if (help) return null;
  const parsed = argsSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CliError(`--${issue?.path.join(".")}: ${issue?.message}`);
  }
  if (parsed.data.csv !== undefined && parsed.data.from === "provider") {
    throw new CliError("--csv: is a file, and --from provider asks for live providers.");
  }
  return parsed.data;
}
