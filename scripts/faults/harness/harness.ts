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
import { z } from "zod";
import { Gateway } from "./gateway.ts";
import { ReplicaSet } from "./replica-set.ts";
import { ServiceSlot } from "./service-slot.ts";
import { Trader } from "./trader.ts";

/** Of the administrator and of all traders. */
export const PASSWORD = "correct horse";

interface FaultHarnessOptions {
  members?: 1 | 3;
  aiTimeMs?: number;
  /** Further environment of each worker. */
  workerEnv?: { a?: Record<string, string>; b?: Record<string, string> };
}

export type FaultHarness = Awaited<ReturnType<typeof startHarness>>;

/** Starts the product as in production: two servers, two workers and a replica set, each a process of its own. */
export async function startHarness(options: FaultHarnessOptions = {}) {
  const backends = await startBackends(options);
  const { servers, workers, env } = await createSlots(backends, options);
  const services = [servers.a, servers.b, workers.a, workers.b];
  const traders: Trader[] = [];
  const close = async () => {
    for (const trader of traders) trader.disconnect();
    await Promise.all(services.map((service) => service.kill()));
    await backends.close();
  };
  try {
    await Promise.all(services.map((service) => service.start()));
    const administrator = await logInAdministrator(servers.a);
    /** A new trader, approved and allowed to attach images. */
    const signUp = async ({ credits = 0 } = {}): Promise<Trader> => {
      const { database } = backends;
      const trader = await createTrader({ via: servers.a, administrator, database, credits });
      traders.push(trader);
      return trader;
    };
    const nextMarket = createMarketSequence();
    return {
      ...backends,
      ...{ servers, workers, services, env, administrator, traders, signUp, nextMarket, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startBackends({ members = 1, aiTimeMs = 0 }: FaultHarnessOptions) {
  const mongo = await ReplicaSet.launch(members);
  const database = await openDatabase({ uri: mongo.uri("the-test") });
  const fakeExchange = await startFakeExchange();
  const fakeAi = await startFakeOpenAi();
  fakeAi.behave({ kind: "advice", delayMs: aiTimeMs });
  const exchange = await Gateway.open(fakeExchange.url);
  /** The market of each call. */
  const aiCalls: string[] = [];
  const ai = await Gateway.open(fakeAi.url, (body) => aiCalls.push(marketOfPrompt(body)));
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
  { mongo, exchange, ai }: Awaited<ReturnType<typeof startBackends>>,
  { workerEnv }: FaultHarnessOptions,
) {
  const env = {
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    JWT_SECRET: randomUUID().repeat(2),
    ADMIN_PASSWORD: PASSWORD,
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
    /** Environment of servers and workers, without MONGODB_URI and API_PORT. */
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

/** Makes fields of signal requests, different each time, so that the AI calls for a signal can be counted. */
function createMarketSequence() {
  let used = 0;
  return () => {
    const market = MARKETS[used % MARKETS.length];
    if (!market) throw new Error("there are no markets");
    used += 1;
    return { ...market, limit: String(10 + (used % LIMITS)) };
  };
}

type Administrator = Awaited<ReturnType<typeof logInAdministrator>>;

async function logInAdministrator({ url }: ServiceSlot) {
  const body = { username: "admin", password: PASSWORD };
  const { token } = await expectAnswer(sessionSchema, `${url}/login`, { body });
  /** Calls a route of administrators with form fields. */
  const post = (via: ServiceSlot, path: string, fields?: Record<string, string>) =>
    expectAnswer(z.unknown(), via.url + path, { token, body: new URLSearchParams(fields) });
  return {
    token,
    post,
    /** Adds to a balance; a negative number removes credits. */
    grantCredits: (via: ServiceSlot, username: string, credits: number) =>
      post(via, `/admin/grant-image-credits/${username}`, { credits: String(credits) }),
  };
}

async function createTrader(options: {
  via: ServiceSlot;
  administrator: Administrator;
  database: Database;
  credits: number;
}): Promise<Trader> {
  const { via, administrator, database, credits } = options;
  const username = `trader-${randomUUID().slice(0, 8)}`;
  const body = { username, email: `${username}@example.com`, password: PASSWORD };
  const { token } = await expectAnswer(sessionSchema, `${via.url}/register`, { body });
  await administrator.post(via, `/admin/approve/${username}`);
  await administrator.post(via, `/admin/set-image-access/${username}`, { allow: "true" });
  if (credits > 0) await administrator.grantCredits(via, username, credits);
  const user = await database.users.findOne({ username }).orFail().lean();
  return new Trader({ username, token, userId: user._id.toString() });
}

const PROMPT = /Symbol: "(.+?)".*?\nTimeframe: (\S+)\n.*?\nClosed candles \((\d+)\)/s;

function marketOfPrompt(body: string): string {
  const { text } = receivedChat({}, chatRequestSchema.parse(JSON.parse(body)));
  const prompt = PROMPT.exec(text);
  if (!prompt) throw new Error(`no market in the prompt ${text}`);
  return prompt.slice(1).join(" ");
}

type Market = Pick<SignalRecord, "symbol" | "timeframe" | "limit">;

/** The same for all signals whose prompts are the same. */
export const promptKey = ({ symbol, timeframe, limit }: Market): string =>
  [symbol, timeframe, limit].join(" ");
