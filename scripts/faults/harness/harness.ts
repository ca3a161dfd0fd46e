import { randomUUID } from "node:crypto";
import { sessionSchema } from "@shared/contract/account.ts";
import { SYMBOL_SUGGESTIONS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import {
  chatRequestSchema,
  receivedChat,
  startFakeOpenAi,
} from "@shared/testing/fakes/fake-openai.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { ADMIN_PASSWORD, Administrator } from "./administrator.ts";
import { Gateway } from "./gateway.ts";
import { ReplicaSet } from "./replica-set.ts";
import { ServiceSlot } from "./service-slot.ts";
import { Trader } from "./trader.ts";

export const HARNESS_DATABASE = "faults";

interface Pair {
  readonly a: ServiceSlot;
  readonly b: ServiceSlot;
}

interface Backends {
  mongo: ReplicaSet;
  database: Database;
  exchange: Gateway;
  ai: Gateway;
  aiCalls: AiCalls;
  close(): Promise<void>;
}

/** The product as in production: two servers, two workers and a replica set, each a process of its own. */
export interface FaultHarness extends Readonly<Backends> {
  readonly servers: Pair;
  readonly workers: Pair;
  readonly services: readonly ServiceSlot[];
  readonly administrator: Administrator;
  readonly traders: readonly Trader[];
  /** Environment of servers and workers, without MONGODB_URI and API_PORT. */
  readonly env: Readonly<Record<string, string>>;
  /** A new trader, approved and allowed to attach images. */
  signUp(options?: { credits?: number }): Promise<Trader>;
  /** Fields of a signal request, different each time, so that the AI calls for a signal can be counted. */
  nextMarket(): { symbol: string; timeframe: string; limit: string };
}

interface FaultHarnessOptions {
  members?: 1 | 3;
  aiTimeMs?: number;
  /** Further environment of each worker. */
  workerEnv?: { a?: Record<string, string>; b?: Record<string, string> };
}

export async function startHarness(options: FaultHarnessOptions = {}): Promise<FaultHarness> {
  const backends = await startBackends(options);
  const { database } = backends;
  const { servers, workers, env } = await createSlots(backends, options);
  const services = [servers.a, servers.b, workers.a, workers.b];
  const traders: Trader[] = [];
  const close = async () => {
    for (const trader of traders) trader.disconnect();
    await Promise.all(services.map((service) => service.kill()));
    await backends.close();
  };
  const starts = await Promise.allSettled(services.map((service) => service.start()));
  const failed = starts.find((start) => start.status === "rejected");
  if (failed) {
    await close();
    throw failed.reason;
  }
  const administrator = await Administrator.logIn(servers.a);
  return {
    ...backends,
    ...{ servers, workers, services, administrator, traders, env, close },
    nextMarket: createMarketSequence(),
    async signUp({ credits = 0 } = {}) {
      const trader = await signUp({ via: servers.a, administrator, database, credits });
      traders.push(trader);
      return trader;
    },
  };
}

async function startBackends(options: FaultHarnessOptions): Promise<Backends> {
  const { members = 1, aiTimeMs = 0 } = options;
  const mongo = await ReplicaSet.launch({ members, database: HARNESS_DATABASE });
  const database = await openDatabase({ uri: mongo.uri("the-test") });
  const fakeExchange = await startFakeExchange();
  const fakeAi = await startFakeOpenAi();
  fakeAi.behave({ kind: "advice", delayMs: aiTimeMs });
  const exchange = await Gateway.open(fakeExchange.url);
  const aiCalls = new AiCalls();
  const ai = await Gateway.open(fakeAi.url, (body) => aiCalls.record(body));
  return {
    ...{ mongo, database, exchange, ai, aiCalls },
    async close() {
      await Promise.all([exchange.refuse(), ai.refuse()]);
      await Promise.all([fakeExchange.close(), fakeAi.close()]);
      await database.close();
      await mongo.remove();
    },
  };
}

/**
 * As in a small container. Node.js derives its default from the machine's memory, and on a large machine collects garbage so
 * late that it looks like a leak.
 */
const HEAP_MB = 256;

async function createSlots(
  { mongo, exchange, ai }: Backends,
  { workerEnv }: FaultHarnessOptions,
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
  };
  const slot = (kind: "server" | "worker", name: string, extra?: Record<string, string>) =>
    new ServiceSlot({ name, kind, env: { ...env, ...extra, MONGODB_URI: mongo.uri(name) } });
  const server = async (name: string) =>
    slot("server", name, { API_PORT: String(await freePort()) });
  return {
    env,
    servers: { a: await server("server-a"), b: await server("server-b") },
    workers: {
      a: slot("worker", "worker-a", workerEnv?.a),
      b: slot("worker", "worker-b", workerEnv?.b),
    },
  };
}

/** Without 1h: the workers themselves read the prices of all markets at 1h. */
const MARKETS = TIMEFRAMES.filter((timeframe) => timeframe !== "1h").flatMap((timeframe) =>
  SYMBOL_SUGGESTIONS.filter((symbol) => symbol.endsWith("/USDT")).map((symbol) => ({
    symbol,
    timeframe,
  })),
);

/** Has no common factor with the number of markets, so that all pairs occur. */
const LIMITS = 241;

function createMarketSequence(): FaultHarness["nextMarket"] {
  let used = 0;
  return () => {
    const market = MARKETS[used % MARKETS.length];
    if (!market) throw new Error("there are no markets");
    used += 1;
    return { ...market, limit: String(10 + (used % LIMITS)) };
  };
}

async function signUp(options: {
  via: ServiceSlot;
  administrator: Administrator;
  database: Database;
  credits: number;
}): Promise<Trader> {
  const { via, administrator, database, credits } = options;
  const username = `trader-${randomUUID().slice(0, 8)}`;
  const body = { username, email: `${username}@example.com`, password: ADMIN_PASSWORD };
  const { token } = await expectAnswer(sessionSchema, `${via.url}/register`, { body });
  await administrator.approve(via, username);
  await administrator.allowImages(via, username);
  if (credits > 0) await administrator.grantCredits(via, username, credits);
  const user = await database.users.findOne({ username }).orFail().lean();
  return new Trader({ username, token, userId: user._id.toString() });
}

const PROMPT = /Symbol: "(.+?)".*?\nTimeframe: (\S+)\n.*?\nClosed candles \((\d+)\)/s;

/** The same for all signals whose prompts are the same. */
export const promptKey = ({
  symbol,
  timeframe,
  limit,
}: Pick<SignalRecord, "symbol" | "timeframe" | "limit">): string =>
  [symbol, timeframe, limit].join(" ");

class AiCalls {
  readonly #counts = new Map<string, number>();
  total = 0;

  record(body: string): void {
    const { text } = receivedChat({}, chatRequestSchema.parse(JSON.parse(body)));
    const prompt = PROMPT.exec(text);
    if (!prompt) throw new Error(`no market in the prompt ${text}`);
    const key = prompt.slice(1).join(" ");
    this.#counts.set(key, this.count(key) + 1);
    this.total += 1;
  }

  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}
