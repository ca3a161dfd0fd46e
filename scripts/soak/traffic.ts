import { setTimeout as delay } from "node:timers/promises";
import { callApi } from "@shared/testing/call-api.ts";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { percentile } from "../bench/lib/report.ts";
import type { FaultHarness } from "../faults/harness/harness.ts";
import type { ServiceSlot } from "../faults/harness/service-slot.ts";
import type { SignalRequestOptions, Trader } from "../faults/harness/trader.ts";

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 900;
const MAX_SOCKETS = 2;
const MAX_CREDITS = 3;

/** Answered as it should, answered with 503, not answered, or answered with another status. */
type CallResult = "answered" | "refused" | "lost" | "failed";

interface Call {
  call: string;
  result: CallResult;
  tookMs: number;
}

/** All traders use the product, each doing one thing after the other, until `stop` aborts. */
export async function runTraffic(options: {
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
    ...[request, request, request, request, history, history, read("/me")],
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

/** One row for each kind of call; times in milliseconds. */
export function describeCalls(calls: readonly Call[]) {
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
