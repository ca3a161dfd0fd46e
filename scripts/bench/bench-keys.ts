import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { API_KEY_CALLS_PER_MINUTE } from "@shared/contract/api-keys.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { API_KEY_LIMIT, createApiKey } from "../../server/src/http/api-keys.ts";
import { createLimiter, hashOf } from "../../server/src/http/rate-limits.ts";
import { callCountsSchema } from "./key-calls.ts";
import {
  type BenchOptions,
  copyUsers,
  percentile,
  printTable,
  startProduct,
} from "./start-product.ts";

const KEYS = 1_000;
const WEB_USERS = 20;
const WEB_INTERVAL_MS = 25;
/** What the pages of a signed-in user read. */
const WEB_PATHS = ["/me", "/signal-history?limit=20", "/watchlist"];
const KEY_PATH = "/signal-history?limit=5";
/** With and without keys in turn, so that other programs of the machine slow both. */
const TURNS = 4;
const TURN_MS = 5_000;
const SETTLE_MS = 1_000;

interface Load {
  title: string;
  /** Between the calls of one key. */
  everyMs: number;
}

const LOADS: Load[] = [
  { title: "10 a second, of all keys", everyMs: KEYS * 100 },
  { title: "100 a second, of all keys", everyMs: KEYS * 10 },
  { title: "10 a second, of each key", everyMs: 100 },
];

/** Measures what web users' requests take while the programs of a thousand users call the API with their keys. */
export async function benchKeys({ database, uri }: BenchOptions): Promise<void> {
  const product = await startProduct({ database, uri, workers: 0, env: { RATE_LIMIT: "on" } });
  const { apiUrl } = product;
  const tokens = await product.createTokens(WEB_USERS);
  const { users, keys } = await createKeys(database);
  const programs = startPrograms({ url: `${apiUrl}${KEY_PATH}`, keys });
  const web = startWebUsers(apiUrl, tokens);
  try {
    await programs.ready;
    await delay(TURN_MS);
    const rows = [];
    for (const load of LOADS) rows.push(await measureLoad(load, { programs, web }));
    await exhaustLimits(database, users);
    const refused = { title: "10 a second, of each key, beyond its limit", everyMs: 100 };
    rows.push(await measureLoad(refused, { programs, web }));
    printTable(`Requests of web users while ${KEYS} keys call, milliseconds`, rows);
  } finally {
    await web.stop();
    programs.close();
    await product.stop();
  }
}

/** Users with some signals and a key each. */
async function createKeys(database: Database): Promise<{ users: UserRecord[]; keys: string[] }> {
  const template = await createUser(database, { approved: true });
  const keys: string[] = [];
  const users = copyUsers(template, KEYS).map((user) => {
    const { key, record } = createApiKey(user, { name: "Bench", scopes: ["read"] }, new Date());
    keys.push(key);
    return { ...user, apiKeys: [record] };
  });
  await database.users.collection.insertMany(users);
  for (const user of users) await createSignals(database, user, { count: 2 });
  return { users, keys };
}

/** As if each key had made all calls of the next minutes. */
async function exhaustLimits(database: Database, users: readonly UserRecord[]): Promise<void> {
  const { name } = API_KEY_LIMIT;
  const rule = { name, points: API_KEY_CALLS_PER_MINUTE, durationSeconds: 600, givesBack: true };
  const limiter = createLimiter(database, rule);
  const used = users.map(({ _id }) =>
    limiter.set(hashOf([_id.toString()]), API_KEY_CALLS_PER_MINUTE + 1, rule.durationSeconds),
  );
  await Promise.all(used);
}

type Programs = ReturnType<typeof startPrograms>;

function startPrograms(programs: { url: string; keys: readonly string[] }) {
  const child = fork(new URL("key-calls.ts", import.meta.url), { execArgv: ["--import", "tsx"] });
  const ask = async (question: object): Promise<unknown> => {
    const answered = once(child, "message");
    child.send(question);
    const [answer] = await answered;
    return answer;
  };
  return {
    ready: ask(programs),
    /** @returns the calls since the last time, by their status */
    setPace: async (pace: { everyMs?: number }) => callCountsSchema.parse(await ask(pace)),
    close: () => child.kill(),
  };
}

interface WebRequest {
  tookMs: number;
  /** 0 without a response. */
  status: number;
}

type WebUsers = ReturnType<typeof startWebUsers>;

/** Sends requests of web users in turn, at a constant rate. */
function startWebUsers(apiUrl: string, tokens: readonly string[]) {
  const pending: Promise<void>[] = [];
  let requests: WebRequest[] = [];
  const send = async (count: number) => {
    const path = WEB_PATHS[count % WEB_PATHS.length];
    const startedAt = performance.now();
    const token = tokens[count % tokens.length] ?? "";
    const status = await callApi(`${apiUrl}${path}`, { token }).then(
      (answer) => answer.status,
      () => 0,
    );
    requests.push({ tookMs: performance.now() - startedAt, status });
  };
  const sending = setInterval(() => pending.push(send(pending.length)), WEB_INTERVAL_MS);
  return {
    /** Those since the last time. */
    takeRequests: () => {
      const taken = requests;
      requests = [];
      return taken;
    },
    async stop() {
      clearInterval(sending);
      await Promise.all(pending);
    },
  };
}

async function measureLoad(
  { title, everyMs }: Load,
  { programs, web }: { programs: Programs; web: WebUsers },
) {
  const quiet: WebRequest[] = [];
  const busy: WebRequest[] = [];
  const counts = new Map<string, number>();
  for (let turn = 0; turn < TURNS; turn++) {
    await programs.setPace({});
    quiet.push(...(await requestsOfTurn(web)));
    await programs.setPace({ everyMs });
    busy.push(...(await requestsOfTurn(web)));
    for (const [status, count] of Object.entries(await programs.setPace({}))) {
      counts.set(status, (counts.get(status) ?? 0) + count);
    }
  }
  const seconds = (TURNS * (TURN_MS + SETTLE_MS)) / 1_000;
  const perSecond = (status: string) => (counts.get(status) ?? 0) / seconds;
  const others = [...counts].filter(([status]) => status !== "200" && status !== "429");
  return {
    "calls with keys": title,
    "200/s": perSecond("200"),
    "429/s": perSecond("429"),
    others: others.map(([status, count]) => `${count} × ${status}`).join(", "),
    "web failed": [...quiet, ...busy].filter(({ status }) => status !== 200).length,
    "web p50 before": percentile(timesOf(quiet), 0.5),
    "web p50": percentile(timesOf(busy), 0.5),
    "web p95 before": percentile(timesOf(quiet), 0.95),
    "web p95": percentile(timesOf(busy), 0.95),
    "p95 ratio": percentile(timesOf(busy), 0.95) / percentile(timesOf(quiet), 0.95),
  };
}

const timesOf = (requests: readonly WebRequest[]) => requests.map(({ tookMs }) => tookMs);

/** Once what came before the turn has ended. */
async function requestsOfTurn(web: WebUsers): Promise<WebRequest[]> {
  await delay(SETTLE_MS);
  web.takeRequests();
  await delay(TURN_MS);
  return web.takeRequests();
}
