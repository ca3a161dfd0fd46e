import { setTimeout as delay } from "node:timers/promises";
import { MINUTE_MS } from "@shared/contract/constants.ts";
import { callApi, expectAnswer } from "@shared/testing/call-api.ts";
import { chartImage } from "@shared/testing/images.ts";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { linearRegression } from "simple-statistics";
import { expect, it } from "vitest";
import { z } from "zod";
import { percentile, residentBytes } from "../bench/start-product.ts";
import { assertInvariants } from "../faults/harness/assert-invariants.ts";
import { type FaultHarness, startHarness } from "../faults/harness/harness.ts";
import type { ServiceSlot } from "../faults/harness/processes.ts";
import type { SignalRequestOptions, Trader } from "../faults/harness/trader.ts";
import { until } from "../faults/harness/until.ts";

const TRADERS = 20;
const CREDITS = 10_000;
const AI_TIME_MS = 500;
const SAMPLE_INTERVAL_MS = 5_000;
/**
 * For a process after its warm-up. A garbage collection moves the slope of two minutes by some MB; a leak of one signal's
 * candles per signal would be five times as much.
 */
const MAX_GROWTH_MB_PER_MINUTE = 20;

/** Not limited: it fills its cache, up to 256 MB. */
const DATABASE = "mongod";

/** Set by `npm run test:soak -- --minutes 10 --seed 1`. */
const { minutes, seed } = z
  .object({
    SUITE_MINUTES: z.coerce.number().int().min(1).max(1_440).default(10),
    SUITE_SEED: z.coerce.number().int().min(1).default(1),
  })
  .transform(({ SUITE_MINUTES, SUITE_SEED }) => ({ minutes: SUITE_MINUTES, seed: SUITE_SEED }))
  .parse(process.env);

it(
  `${TRADERS} traders lose nothing in ${minutes} minutes in which a process is killed every minute`,
  async () => {
    const harness = await startHarness({ aiTimeMs: AI_TIME_MS });
    try {
      for (let index = 0; index < TRADERS; index += 1) await harness.signUp({ credits: CREDITS });
      expect(await soak(harness)).toEqual([]);
      console.log(`${await harness.database.signals.countDocuments()} signals`);
    } finally {
      await harness.close();
    }
  },
  minutes * MINUTE_MS + 600_000,
);

/** Runs traffic, and returns all faults. */
async function soak(harness: FaultHarness): Promise<string[]> {
  const image = await chartImage(1).png().toBuffer();
  const memory = new MemoryLog();
  const stop = new AbortController();
  const sampling = setInterval(() => void memory.sample(processesOf(harness)), SAMPLE_INTERVAL_MS);
  const working = runTraffic({ harness, image, seed, stop: stop.signal });
  try {
    console.table(await killOneByOne(harness));
  } finally {
    stop.abort();
    clearInterval(sampling);
    await working;
  }
  const calls = describeCalls(await working);
  console.table(calls);
  const rows = memory.rows(MAX_GROWTH_MB_PER_MINUTE);
  console.table(rows);
  const grown = rows.filter(({ name, grewTooMuch }) => grewTooMuch && name !== DATABASE);
  const failed = calls.filter((call) => call.failed > 0).map(({ call }) => `${call} failed`);
  const faults = [...failed, ...grown.map(({ name }) => `${name} grew too much`)];
  await assertInvariants(harness).catch((error: unknown) => faults.push(String(error)));
  return faults;
}

function processesOf({ services, mongo }: FaultHarness): { name: string; pid: number }[] {
  const members = mongo.members.map(({ pid }) => ({ name: DATABASE, pid }));
  return [...services.map(({ name, pid }) => ({ name, pid })), ...members];
}

const HANG_MS = 10_000;

/** Interrupts the next process every minute but the last. Returns the time until each was ready again. */
async function killOneByOne(harness: FaultHarness) {
  const { servers, workers } = harness;
  const faults = [servers.a, workers.a, servers.b, workers.b, undefined];
  const kills: { minute: number; process: string; readyAfterMs: number }[] = [];
  const startedAt = performance.now();
  const untilMinute = (minute: number) =>
    delay(Math.max(0, startedAt + minute * MINUTE_MS - performance.now()));
  for (let minute = 1; minute < minutes; minute += 1) {
    await untilMinute(minute);
    const service = faults[(minute - 1) % faults.length];
    const killedAt = performance.now();
    await (service ? restart(service) : hangDatabase(harness));
    const readyAfterMs = Math.round(performance.now() - killedAt);
    kills.push({ minute, process: service?.name ?? "mongod (hangs)", readyAfterMs });
    console.log(kills.at(-1));
  }
  await untilMinute(minutes);
  return kills;
}

async function restart(service: ServiceSlot): Promise<void> {
  await service.kill();
  await service.start();
}

async function hangDatabase({ mongo, servers }: FaultHarness): Promise<void> {
  const [mongod] = mongo.members;
  mongod?.pause();
  await delay(HANG_MS);
  mongod?.resume();
  for (const { name, url } of Object.values(servers)) {
    await until(() => expectAnswer(z.unknown(), `${url}/readyz`), { what: name });
  }
}

interface ProcessMemory {
  name: string;
  pid: number;
  samples: { atMs: number; megabytes: number }[];
}

/** Until then, code is compiled and pools are filled. */
const WARM_UP_MS = 90_000;
/** In less time, a garbage collection moves the slope by tens of megabytes. */
const MIN_WATCHED_MS = 90_000;

class MemoryLog {
  readonly #processes = new Map<number, ProcessMemory>();

  async sample(processes: readonly { name: string; pid: number }[]): Promise<void> {
    for (const { name, pid } of processes) {
      // A process that was just killed has no memory.
      const bytes = await residentBytes(pid).catch(() => Number.NaN);
      if (Number.isNaN(bytes)) continue;
      const memory = this.#processes.get(pid) ?? { name, pid, samples: [] };
      memory.samples.push({ atMs: performance.now(), megabytes: bytes / 2 ** 20 });
      this.#processes.set(pid, memory);
    }
  }

  rows(maxGrowthMbPerMinute: number) {
    return [...this.#processes.values()].map((one) => describeMemory(one, maxGrowthMbPerMinute));
  }
}

function describeMemory({ name, pid, samples }: ProcessMemory, maxGrowthMbPerMinute: number) {
  const sizes = samples.map(({ megabytes }) => Math.round(megabytes));
  const startMs = samples[0]?.atMs ?? 0;
  const endMs = samples.at(-1)?.atMs ?? 0;
  const warm = samples.filter(({ atMs }) => atMs - startMs >= WARM_UP_MS);
  const isLongEnough = endMs - (warm[0]?.atMs ?? endMs) >= MIN_WATCHED_MS;
  const points = warm.map(({ atMs, megabytes }) => [atMs / 60_000, megabytes]);
  const growth = isLongEnough ? Math.round(linearRegression(points).m * 10) / 10 : null;
  return {
    name,
    pid,
    lifeSeconds: Math.round((endMs - startMs) / 1_000),
    firstMb: sizes[0] ?? 0,
    lastMb: sizes.at(-1) ?? 0,
    maxMb: Math.max(...sizes),
    /** Slope of a line through all samples after the warm-up; null if there are too few. */
    growthMbPerMinute: growth,
    grewTooMuch: growth !== null && growth > maxGrowthMbPerMinute,
  };
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 900;
const MAX_SOCKETS = 2;
const MAX_CREDITS = 3;

type CallResult = "answered" | "refused" | "lost" | "failed";

interface Call {
  call: string;
  result: CallResult;
  tookMs: number;
}

/** All traders use the product, each doing one thing after the other, until `stop` aborts. */
async function runTraffic(options: {
  harness: FaultHarness;
  image: Buffer;
  seed: number;
  stop: AbortSignal;
}): Promise<Call[]> {
  const { harness, image, seed, stop } = options;
  const calls: Call[] = [];
  const working = harness.traders.map(async (trader, index) => {
    const random = xoroshiro128plus(seed * 1_000 + index);
    while (!stop.aborted) {
      const via = uniformInt(random, 0, 1) === 0 ? harness.servers.a : harness.servers.b;
      const actions = actionsOf(harness, { trader, via, image });
      const [call, act] = actions[uniformInt(random, 0, actions.length - 1)] ?? [];
      if (!call || !act) continue;
      const startedAt = performance.now();
      const result = await act().catch((): CallResult => "lost");
      calls.push({ call, result, tookMs: Math.round(performance.now() - startedAt) });
      await delay(uniformInt(random, MIN_PAUSE_MS, MAX_PAUSE_MS));
    }
  });
  await Promise.all(working);
  return calls;
}

/** Calls that a trader may make next; frequent ones are there more than once. */
function actionsOf(
  { administrator, nextMarket }: FaultHarness,
  { trader, via, image }: { trader: Trader; via: ServiceSlot; image: Buffer },
): (readonly [string, () => Promise<CallResult>])[] {
  const signal = (name: string, extra: Partial<SignalRequestOptions>) => {
    const act = async () => resultOf(await trader.ask(via, { ...nextMarket(), ...extra }));
    return [name, act] as const;
  };
  const read = (name: string, path = name) =>
    [`GET ${name}`, () => get(trader, via, path)] as const;
  const known = trader.asked.at(-1)?.replies.at(-1);
  const history = read("/signal-history");
  const request = signal("POST /get-signal", {});
  return [
    request,
    request,
    request,
    request,
    history,
    history,
    read("/me"),
    signal("POST /get-signal, waiting", { waits: true }),
    signal("POST /get-signal-with-image", { image }),
    ...(known?.kind === "accepted" ? [read("/signals/:id", `/signals/${known.signalId}`)] : []),
    [
      "a socket",
      async () => {
        if (trader.sockets.length >= MAX_SOCKETS) trader.sockets.shift()?.close();
        else await trader.connect(via);
        return "answered";
      },
    ],
    [
      "administration",
      async () => {
        await administrator.post(via, `/admin/approve/${trader.username}`);
        await administrator.grantCredits(via, trader.username, MAX_CREDITS);
        return "answered";
      },
    ],
  ];
}

async function get({ token }: Trader, { url }: ServiceSlot, path: string): Promise<CallResult> {
  const { status } = await callApi(url + path, { token });
  if (status === 503) return "refused";
  return status >= 400 ? "failed" : "answered";
}

function resultOf({ replies }: Trader["asked"][number]): CallResult {
  const kind = replies[0]?.kind ?? "lost";
  return kind === "accepted" ? "answered" : kind;
}

function describeCalls(calls: readonly Call[]) {
  return [...new Set(calls.map(({ call }) => call))].map((call) => {
    const own = calls.filter((one) => one.call === call);
    const count = (wanted: CallResult) => own.filter(({ result }) => result === wanted).length;
    const answered = own.filter(({ result }) => result === "answered");
    const times = answered.map(({ tookMs }) => tookMs);
    return {
      call,
      answered: count("answered"),
      refused: count("refused"),
      lost: count("lost"),
      failed: count("failed"),
      p50: percentile(times, 0.5),
      p95: percentile(times, 0.95),
    };
  });
}
