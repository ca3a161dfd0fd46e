import { randomUUID } from "node:crypto";
import { sessionSchema } from "@shared/contract/account.ts";
import { SYMBOL_SUGGESTIONS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import {
  chatRequestSchema,
  receivedChat,
  startFakeOpenAi,
} from "@shared/testing/fakes/fake-openai.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { ADMIN_PASSWORD, Administrator, expectAnswer } from "./api.ts";
import { Gateway } from "./gateway.ts";
import { ReplicaSet } from "./replica-set.ts";
import { ServiceSlot } from "./service-slot.ts";
import { Trader } from "./trader.ts";

export const HARNESS_DATABASE = "faults";

/** The product as it runs in production: two servers, two workers and a replica set, each a process of its own. */
export interface FaultHarness {
  readonly mongo: ReplicaSet;
  /** The test's own eye on the database. */
  readonly database: Database;
  readonly exchange: Gateway;
  readonly ai: Gateway;
  readonly aiCalls: AiCalls;
  readonly servers: { readonly a: ServiceSlot; readonly b: ServiceSlot };
  readonly workers: { readonly a: ServiceSlot; readonly b: ServiceSlot };
  /** All servers and workers. */
  readonly parts: readonly ServiceSlot[];
  readonly administrator: Administrator;
  readonly traders: readonly Trader[];
  /** What servers and workers are started with, but for the address of the database and the port. */
  readonly env: Readonly<Record<string, string>>;
  /** A new trader, approved and with credits for pictures. */
  signUp(options?: { credits?: number }): Promise<Trader>;
  /**
   * The fields of a signal request. The first ones each name a market that no worker has the candles of; all of them
   * differ, so that the AI calls for a signal can be counted.
   */
  nextMarket(): { symbol: string; timeframe: string; limit: string };
  close(): Promise<void>;
}

/** The workers themselves read the prices of all markets at 1h. */
const MARKETS = TIMEFRAMES.filter((timeframe) => timeframe !== "1h").flatMap((timeframe) =>
  SYMBOL_SUGGESTIONS.filter((symbol) => symbol.endsWith("/USDT")).map((symbol) => ({
    symbol,
    timeframe,
  })),
);

/** Numbers of candles in a prompt. Without a common factor with the number of markets: all pairs come up. */
const LIMITS = { min: 10, count: 241 } as const;

interface FaultHarnessOptions {
  /** Of the replica set. */
  members?: 1 | 3;
  /** How long the AI takes for an answer. */
  aiTimeMs?: number;
  /** Signals that one worker runs at once. */
  workerConcurrency?: number;
  /** How far the clock of worker B is ahead. */
  clockAheadMs?: number;
}

/** Starts everything and signs the administrator in. */
export async function startHarness(options: FaultHarnessOptions = {}): Promise<FaultHarness> {
  const services = await startServices(options);
  const { mongo, database } = services;
  const { servers, workers, env } = await assignParts(services, options);
  const parts = [...Object.values(servers), ...Object.values(workers)];
  await startAll(parts, services);
  const administrator = await Administrator.logIn(servers.a);
  const traders: Trader[] = [];
  let marketsUsed = 0;
  return {
    ...{ mongo, database, exchange: services.exchange, ai: services.ai },
    ...{ aiCalls: services.aiCalls },
    ...{ servers, workers, parts, administrator, traders, env },
    async signUp({ credits = 0 } = {}) {
      const trader = await signUp({ via: servers.a, administrator, database, credits });
      traders.push(trader);
      return trader;
    },
    nextMarket() {
      marketsUsed += 1;
      const market = MARKETS[(marketsUsed - 1) % MARKETS.length];
      if (!market) throw new Error("there are no markets");
      return { ...market, limit: String(LIMITS.min + (marketsUsed % LIMITS.count)) };
    },
    async close() {
      for (const trader of traders) trader.disconnect();
      await Promise.all(parts.map((part) => part.kill()));
      await services.close();
    },
  };
}

interface Services {
  mongo: ReplicaSet;
  database: Database;
  exchange: Gateway;
  ai: Gateway;
  aiCalls: AiCalls;
  close(): Promise<void>;
}

async function startServices({
  members = 1,
  aiTimeMs = 0,
}: FaultHarnessOptions): Promise<Services> {
  const mongo = await ReplicaSet.launch({ members, database: HARNESS_DATABASE });
  const database = await openDatabase({ uri: mongo.uri("the-test") });
  const standInExchange = await startFakeExchange();
  const standInAi = await startFakeOpenAi();
  standInAi.behave({ kind: "advice", delayMs: aiTimeMs });
  const exchange = await Gateway.open(standInExchange.url);
  const aiCalls = new AiCalls();
  const ai = await Gateway.open(standInAi.url, (body) => aiCalls.record(body));
  return {
    ...{ mongo, database, exchange, ai, aiCalls },
    async close() {
      await Promise.all([exchange, ai].map((gateway) => gateway.refuse()));
      await Promise.all([standInExchange, standInAi].map((standIn) => standIn.close()));
      await database.close();
      await mongo.remove();
    },
  };
}

/**
 * What a part may have, as it would in a small container. Left to itself Node.js measures its heap by the machine's
 * memory, and on a large one collects garbage so late that a leak could not be told from it.
 */
const HEAP_MB = 256;

const SHIFT_CLOCK = new URL("shift-clock.mjs", import.meta.url);

async function assignParts(
  { mongo, exchange, ai }: Services,
  { workerConcurrency, clockAheadMs }: FaultHarnessOptions,
): Promise<Pick<FaultHarness, "servers" | "workers" | "env">> {
  const env = {
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    JWT_SECRET: randomUUID().repeat(2),
    ADMIN_PASSWORD,
    RATE_LIMIT: "off",
    MARKET_DATA: "live",
    EXCHANGES: "binance",
    EXCHANGE_URL: exchange.url,
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${ai.url}/v1`,
    ...(workerConcurrency && { WORKER_CONCURRENCY: String(workerConcurrency) }),
  };
  const aheadEnv = {
    NODE_OPTIONS: `${env.NODE_OPTIONS} --import ${SHIFT_CLOCK}`,
    CLOCK_AHEAD_MS: String(clockAheadMs),
  };
  const slot = (kind: "server" | "worker", name: string, extra: Record<string, string>) =>
    new ServiceSlot({ name, kind, env: { ...env, ...extra, MONGODB_URI: mongo.uri(name) } });
  const server = async (name: string) =>
    slot("server", name, { API_PORT: String(await freePort()) });
  const servers = { a: await server("server-a"), b: await server("server-b") };
  const workers = {
    a: slot("worker", "worker-a", {}),
    b: slot("worker", "worker-b", clockAheadMs ? aheadEnv : {}),
  };
  return { servers, workers, env };
}

/** All or nothing: what has started ends again if another part did not. */
async function startAll(parts: readonly ServiceSlot[], services: Services): Promise<void> {
  const starts = await Promise.allSettled(parts.map((part) => part.start()));
  const failed = starts.find((start) => start.status === "rejected");
  if (!failed) return;
  await Promise.all(parts.map((part) => part.kill()));
  await services.close();
  throw failed.reason;
}

/** Registers through the API, and is let in by the administrator. */
async function signUp(options: {
  via: ServiceSlot;
  administrator: Administrator;
  database: Database;
  credits: number;
}): Promise<Trader> {
  const { via, administrator, database, credits } = options;
  const username = `trader-${randomUUID().slice(0, 8)}`;
  const body = { username, email: `${username}@example.com`, password: "correct horse" };
  const session = await expectAnswer(
    { via, path: "/register", method: "POST", body },
    sessionSchema,
  );
  await administrator.approve(via, username);
  await administrator.allowImages(via, username);
  if (credits > 0) await administrator.grantCredits(via, username, credits);
  const user = await database.users.findOne({ username }).lean();
  if (!user) throw new Error(`${username} was not stored`);
  return new Trader({ username, token: session.token, userId: user._id.toString() });
}

/** What a prompt says of its signal. */
const PROMPT = /Symbol: "(.+?)".*?\nTimeframe: (\S+)\n.*?\nClosed candles \((\d+)\)/s;

/** What distinguishes the signals of a stage in their prompts. */
type PromptSubject = Pick<SignalRecord, "symbol" | "timeframe" | "limit">;

/** The same for all signals whose prompts cannot be distinguished. */
export const promptKey = ({ symbol, timeframe, limit }: PromptSubject): string =>
  [symbol, timeframe, limit].join(" ");

/** Counts the calls of the AI by the signals that they were made for. */
class AiCalls {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /**
   * @param body of a chat request
   * @throws Error for a prompt without a market
   */
  record(body: string): void {
    const chat = receivedChat({}, chatRequestSchema.parse(JSON.parse(body)));
    const [, symbol, timeframe, limit] = PROMPT.exec(chat.text) ?? [];
    if (!symbol || !timeframe || !limit) throw new Error(`no market in the prompt ${chat.text}`);
    this.#total += 1;
    const key = [symbol, timeframe, limit].join(" ");
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** All calls. */
  get total(): number {
    return this.#total;
  }

  /** Calls for the signals that have this key. */
  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}
