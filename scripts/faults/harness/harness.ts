import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sessionSchema } from "@shared/contract/account.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { openDatabase } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { startFakeExchange } from "@shared/testing/fakes/fake-exchange.ts";
import { listenLocally, readText, sendJson } from "@shared/testing/fakes/fake-http.ts";
import {
  chatRequestSchema,
  receivedChat,
  startFakeOpenAi,
} from "@shared/testing/fakes/fake-openai.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import type { Types } from "mongoose";
import { z } from "zod";
import { ReplicaSet, ServiceSlot } from "./processes.ts";
import { createMarketSequence, type SignalRequestOptions, Trader } from "./trader.ts";
import { until } from "./until.ts";

/** As long as the longest soak, and more. */
const SESSION_SECONDS = 2 * 86_400;

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
    for (const socket of traders.flatMap(({ sockets }) => sockets)) socket.close();
    await Promise.all(services.map((service) => service.kill()));
    await backends.close();
  };
  try {
    await Promise.all(services.map((service) => service.start()));
    const administrator = await logInAdministrator(servers.a);
    const signUp = async ({ credits = 0 } = {}): Promise<Trader> => {
      const user = await createUser(backends.database, { approved: true, allowImageUpload: true });
      if (credits > 0) await administrator.grantCredits(servers.a, user.username, credits);
      const trader = new Trader(user, signTokenFor(user, env, { expiresIn: SESSION_SECONDS }));
      traders.push(trader);
      return trader;
    };
    // The workers themselves read the prices of all markets at 1h.
    const nextMarket = createMarketSequence(TIMEFRAMES.filter((timeframe) => timeframe !== "1h"));
    return {
      ...backends,
      servers,
      workers,
      services,
      env,
      administrator,
      traders,
      signUp,
      nextMarket,
      close,
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
  const exchange = new Gateway(fakeExchange.url);
  const aiCalls: string[] = [];
  const ai = new Gateway(fakeAi.url, (body) => aiCalls.push(keyOfPrompt(body)));
  await Promise.all([exchange.accept(), ai.accept()]);
  return {
    mongo,
    database,
    exchange,
    ai,
    aiCalls,
    async close() {
      await Promise.all([exchange.refuse(), ai.refuse()]);
      await Promise.all([fakeExchange.close(), fakeAi.close()]);
      await database.close();
      await mongo.remove();
    },
  };
}

/** As in a small container: with much memory, Node.js collects garbage so late that it looks like a leak. */
const HEAP_MB = 256;

async function createSlots(
  { mongo, exchange, ai }: Awaited<ReturnType<typeof startBackends>>,
  { workerEnv }: FaultHarnessOptions,
) {
  const env = {
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    JWT_SECRET: randomUUID().repeat(2),
    ADMIN_PASSWORD: TEST_PASSWORD,
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

async function logInAdministrator({ url }: ServiceSlot) {
  const body = { username: "admin", password: TEST_PASSWORD };
  const { token } = await expectAnswer(sessionSchema, `${url}/login`, { body });
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

const PROMPT = /Symbol: "(.+?)".*?\nTimeframe: (\S+)\n.*?\nClosed candles \((\d+)\)/s;

/** What a chart image shows is asked for without a market. */
export const IMAGE_KEY = "a chart image";

function keyOfPrompt(body: string): string {
  const { text, images } = receivedChat({}, chatRequestSchema.parse(JSON.parse(body)));
  if (images.length > 0) return IMAGE_KEY;
  const prompt = PROMPT.exec(text);
  if (!prompt) throw new Error(`no market in the prompt ${text}`);
  return prompt.slice(1).join(" ");
}

type Market = Pick<SignalRecord, "symbol" | "timeframe" | "limit">;

/** The same for all signals whose prompts are the same. */
export const promptKey = ({ symbol, timeframe, limit }: Market): string =>
  [symbol, timeframe, limit].join(" ");

export const JOBS = "agendaJobs";

export const UNFINISHED = { status: { $nin: ["completed", "failed"] } } as const;

/** Workers sign their locks with `<host>:<pid>:<random>`. */
export const isLockOf = (lock: string | null | undefined, { pid }: ServiceSlot): boolean =>
  lock?.split(":")[1] === String(pid);

export function analysisIdsOf(
  { database }: FaultHarness,
  signalIds: readonly string[],
): Promise<Types.ObjectId[]> {
  return database.signals.distinct("analysisId", { _id: { $in: [...signalIds] } });
}

/** Sorted ids of those of these signals whose jobs a worker has locked. */
export async function signalsHeldBy(
  harness: FaultHarness,
  worker: ServiceSlot,
  signalIds: readonly string[],
): Promise<string[]> {
  const { jobs, signals } = harness.database;
  const all = await jobs.find({ _id: { $in: await analysisIdsOf(harness, signalIds) } }).lean();
  const locked = all.filter(({ lastModifiedBy }) => isLockOf(lastModifiedBy, worker));
  const analysisId = { $in: locked.map(({ _id }) => _id) };
  const held = await signals.distinct("_id", { _id: { $in: [...signalIds] }, analysisId });
  return held.map(String).sort();
}

/** Requests signals; resolves with their ids once all are accepted. */
export async function askForMany(
  { servers }: FaultHarness,
  trader: Trader,
  requests: readonly SignalRequestOptions[],
): Promise<string[]> {
  const asked = await Promise.all(requests.map((request) => trader.ask(servers.a, request)));
  return asked.map(({ key, replies }) => {
    const [reply] = replies;
    if (reply?.kind !== "accepted") throw new Error(`${key}: ${JSON.stringify(reply)}`);
    return reply.signalId;
  });
}

export async function countsOf(
  { database, aiCalls }: FaultHarness,
  signalIds: readonly string[],
): Promise<{ status: string; attempts: number; aiCalls: number }[]> {
  const signals = await database.signals.find({ _id: { $in: [...signalIds] } }).lean();
  return signals.map((signal) => ({
    status: signal.status,
    attempts: signal.revision,
    aiCalls: aiCalls.filter((call) => call === promptKey(signal)).length,
  }));
}

export async function untilEnded(
  { database }: FaultHarness,
  signalIds: readonly string[],
  withinMs = 90_000,
): Promise<void> {
  const unfinished = { _id: { $in: [...signalIds] }, ...UNFINISHED };
  await until(async () => (await database.signals.countDocuments(unfinished)) === 0, {
    what: "signals to end",
    withinMs,
  });
}

/** `error` answers 500, `hang` never answers. */
type GatewayMode = "pass" | "error" | "hang";

interface Hold {
  arrived: number;
  release(): void;
}

/** A proxy in front of an outside service, which can hold requests back, hang, fail, or refuse connections. */
export class Gateway {
  readonly #target: URL;
  readonly #onRequest: (body: string) => void;
  readonly #holds = new Map<Hold, { matches: (url: string) => boolean; released: Promise<void> }>();
  readonly #server = createServer((incoming, response) => void this.#handle(incoming, response));
  #mode: GatewayMode = "pass";
  #port = 0;

  /** @param onRequest gets the body of each request that is not hung or failed */
  constructor(target: string, onRequest: (body: string) => void = () => undefined) {
    this.#target = new URL(target);
    this.#onRequest = onRequest;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  behave(mode: GatewayMode): void {
    this.#mode = mode;
  }

  hold(matches: (url: string) => boolean = () => true): Readonly<Hold> {
    const hold: Hold = { arrived: 0, release: () => undefined };
    const released = new Promise<void>((resolve) => {
      hold.release = () => {
        this.#holds.delete(hold);
        resolve();
      };
    });
    this.#holds.set(hold, { matches, released });
    return hold;
  }

  async refuse(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Listens, again on the same port. */
  async accept(): Promise<void> {
    if (this.#server.listening) return;
    this.#port = await listenLocally(this.#server, this.#port);
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#mode === "hang") return;
    if (this.#mode === "error") {
      incoming.resume();
      return sendJson(response, { error: { message: "The server had an error." } }, 500);
    }
    const body = await readText(incoming).catch(() => undefined);
    // The client crashed while it was sending.
    if (body === undefined || !incoming.complete) return;
    // The list of models is asked for without a body.
    if (body !== "") this.#onRequest(body);
    for (const [hold, { matches, released }] of [...this.#holds]) {
      if (!matches(incoming.url ?? "")) continue;
      hold.arrived += 1;
      await released;
    }
    await nextTurn();
    if (response.destroyed) return;
    const { method, url: path, headers } = incoming;
    const { hostname, port } = this.#target;
    request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    })
      .once("error", () => response.destroy())
      .end(body);
  }
}
