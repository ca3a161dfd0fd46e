import { openAsBlob, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { sha256Schema } from "@shared/contract/ledger.ts";
import {
  type KeptHead,
  type LedgerBytes,
  type LedgerReport,
  type VerifierOptions,
  verifyLedger,
} from "@shared/contract/ledger-verifier.ts";
import { openDatabase } from "@shared/database/database.ts";
import { headFile, readHeadFile, verifyDatabase } from "@shared/domain/ledger.ts";
import {
  type CandleFile,
  type CandleSource,
  candleFilesSource,
  parseCandleCsv,
  parseCandleFileName,
  type Recheck,
  type RecordedOutcome,
  resolveAgain,
} from "@shared/outcomes/resolve-again.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadWorkerSettings, readDotEnv } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { createMarketData } from "../../worker/src/market-data/select-market-data.ts";
import { archiveSource, CandleArchive } from "../../worker/src/outcomes/candle-archive.ts";
import { CliError, type Command, parseArguments, resolveTyped } from "../lib/cli.ts";
import { withDatabase } from "../lib/mongo/embedded-mongo.ts";

const USAGE =
  "Usage: npm run verify-ledger -- [ledger.ndjson | https://api.example.com] [--head seq:hash] [--heads file] [--candles BTC-USDT.1h.csv | folder] [--from-provider]";

const OPTIONS = {
  head: { type: "string", multiple: true },
  heads: { type: "string" },
  candles: { type: "string", multiple: true },
  "from-provider": { type: "boolean" },
} as const;

const headSchema = z
  .string()
  .regex(/^\d{1,15}:[0-9a-f]{64}$/)
  .transform((text) => {
    const [seq = "", hash = ""] = text.split(":");
    return { seq: Number(seq), hash: sha256Schema.parse(hash) };
  });

export async function main(command: Command): Promise<number> {
  return (await runVerifyLedger(command)) ? 0 : 1;
}

/** Returns whether the ledger is intact, and no outcome differs when it is resolved again. */
export async function runVerifyLedger({ args, say, signal }: Command): Promise<boolean> {
  const config = { args: [...args], options: OPTIONS, allowPositionals: true };
  const { values, positionals } = parseArguments(config, USAGE);
  if (positionals.length > 1) throw new CliError(USAGE);
  const [source] = positionals;
  const kept = (values.head ?? []).map(parseHead);
  const candles = await openCandleSource(signal, values.candles, values["from-provider"]);
  if (values.heads) kept.push(...(await readHeads(values.heads)));
  const outcomes: RecordedOutcome[] = [];
  const options = {
    kept,
    ...(candles && { onOutcome: (outcome: RecordedOutcome) => outcomes.push(outcome) }),
  };
  const report =
    source === undefined
      ? await verifyOwn(options, say)
      : await verifyLedger(await openLedger(source, signal), options);
  for (const line of describeReport(report)) say(line);
  if (!candles || report.fault) return report.fault === null;
  const rechecks: NumberedRecheck[] = [];
  for (const outcome of outcomes) {
    rechecks.push({ ...outcome, recheck: await resolveAgain(outcome, candles) });
  }
  for (const line of describeRechecks(rechecks)) say(line);
  return rechecks.every(({ recheck }) => recheck.result !== "differs");
}

function parseHead(text: string): KeptHead {
  const head = headSchema.safeParse(text);
  if (head.success) return head.data;
  throw new CliError(`--head ${text}: must be seq:hash.\n${USAGE}`);
}

async function readHeads(file: string): Promise<KeptHead[]> {
  const heads = await readHeadFile(resolveTyped(file));
  if (heads.length === 0) throw new CliError(`There are no published heads in ${file}.`);
  return heads;
}

async function verifyOwn(
  options: VerifierOptions & { kept: readonly KeptHead[] },
  say: (line: string) => void,
): Promise<LedgerReport> {
  readDotEnv();
  const settings = loadWorkerSettings();
  const kept = [...options.kept, ...(await readHeadFile(headFile(settings.DATA_DIR)))];
  say(`Kept heads to check against: ${kept.length}.`);
  return withDatabase(settings, async (uri) => {
    const database = await openDatabase({ uri });
    try {
      return await verifyDatabase(database, { ...options, kept });
    } finally {
      await database.close();
    }
  });
}

const count = new Intl.NumberFormat("en-US").format;

function describeReport({ fault, head, tally }: LedgerReport): string[] {
  if (fault) {
    const place = fault.line === null ? "" : ` (line ${fault.line})`;
    return [
      `NOT INTACT: record ${fault.seq}${place}: ${fault.detail} [${fault.reason}].`,
      `The ${count(head.seq)} records before it are valid.`,
    ];
  }
  const { analyses, outcomes, shadow, revealed, late } = tally;
  const resolved = outcomes.WIN + outcomes.LOSS + outcomes.EXPIRED;
  return [
    `Intact: ${count(head.seq)} records.`,
    `Analyses: ${count(analyses.live)} live, ${count(analyses.replay)} demo; figures revealed of ${count(revealed)}.`,
    `Resolved: ${count(resolved)}: ${outcomes.WIN} won, ${outcomes.LOSS} lost, ${outcomes.EXPIRED} expired.`,
    ...(shadow.analyses > 0
      ? [
          `Of the bench of analysts: ${count(shadow.analyses)} analyses, ${count(shadow.outcomes)} resolved.`,
        ]
      : []),
    `Recorded more than a minute late: ${count(late)}.`,
    `Head ${head.seq}:${head.hash}`,
  ];
}

type NumberedRecheck = RecordedOutcome & { recheck: Recheck };

function describeRechecks(rechecks: readonly NumberedRecheck[]): string[] {
  const countOf = (result: Recheck["result"]) =>
    rechecks.filter(({ recheck }) => recheck.result === result).length;
  const differing = rechecks.flatMap(({ seq, figures, recheck }) => {
    if (recheck.result !== "differs") return [];
    const fields = recheck.fields.map(
      ({ name, recorded, resolved }) => `${name} is ${recorded}, resolved again ${resolved}`,
    );
    return [
      `DIFFERS: record ${seq}, ${figures.symbol} ${figures.timeframe}: ${fields.join("; ")}.`,
    ];
  });
  return [
    `Resolved again: ${count(rechecks.length)}: ${countOf("agrees")} agree, ${countOf("differs")} differ.`,
    `Not checked: ${countOf("no-candles")} without candles, ${countOf("needs-finer-candles")} need candles of a shorter timeframe.`,
    ...differing,
  ];
}

const DOWNLOAD_PATH = "/ledger/download";

/** Opens a downloaded ledger, or that of an API at a URL. */
export async function openLedger(source: string, signal: AbortSignal): Promise<LedgerBytes> {
  return /^https?:\/\//.test(source) ? download(source, signal) : openFile(source);
}

async function download(address: string, signal: AbortSignal): Promise<LedgerBytes> {
  const url = new URL(address);
  if (url.pathname === "/") url.pathname = DOWNLOAD_PATH;
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new CliError(`${url} does not answer.`, { cause: error });
  });
  if (response.ok && response.body) return response.body;
  throw new CliError(`${url} was answered with ${response.status}.`);
}

async function openFile(name: string): Promise<LedgerBytes> {
  const file = resolveTyped(name);
  try {
    return (await openAsBlob(file)).stream();
  } catch (cause) {
    throw new CliError(`${file} cannot be read.`, { cause });
  }
}

/** Candles of CSV files or folders of them, or of the market data providers. Null if neither is named. */
export async function openCandleSource(
  abort: AbortSignal,
  candles: readonly string[] = [],
  fromProvider = false,
): Promise<CandleSource | null> {
  if (candles.length > 0) return candleFilesSource(candles.flatMap(readCandleFiles));
  return fromProvider ? providerSource(abort) : null;
}

function readCandleFiles(path: string): CandleFile[] {
  const name = resolveTyped(path);
  const stats = statSync(name, { throwIfNoEntry: false });
  if (!stats) throw new CliError(`${name} cannot be read.`);
  if (!stats.isDirectory()) return [readCandleFile(name)];
  const files = readdirSync(name).filter((file) => parseCandleFileName(file));
  return files.map((file) => readCandleFile(join(name, file)));
}

function readCandleFile(name: string): CandleFile {
  const market = parseCandleFileName(basename(name));
  if (!market) throw new CliError(`${name} must be named like BTC-USDT.1h.csv.`);
  try {
    return { ...market, candles: parseCandleCsv(readFileSync(name, "utf8")) };
  } catch (cause) {
    throw new CliError(`${name} has no candles as time,open,high,low,close,volume.`, { cause });
  }
}

/** Candles of the market data providers, preferably of the one that an analysis was made from. */
async function providerSource(abort: AbortSignal): Promise<CandleSource> {
  const settings = { ...loadWorkerSettings(), MARKET_DATA: "live" as const };
  const logger = createLogger({ service: "verify-ledger", level: "silent" });
  const { marketData } = await createMarketData({ settings, now: Date.now, logger });
  return archiveSource(new CandleArchive({ live: marketData, replay: undefined }), abort);
}
