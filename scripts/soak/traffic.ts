import { setTimeout as delay } from "node:timers/promises";
import { callApi } from "@shared/testing/call-api.ts";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import { percentile } from "../bench/lib/report.ts";
import type { FaultHarness } from "../faults/harness/harness.ts";
import type { ServiceSlot } from "../faults/harness/service-slot.ts";
import type { SignalRequestOptions, Trader } from "../faults/harness/trader.ts";

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 900;
const MAX_SOCKETS = 2;

const ACTIONS = [
  ...["signal", "signal", "signal", "signal-waiting", "signal-with-image"],
  ...["history", "history", "profile", "one-signal", "connect", "disconnect", "admin"],
] as const;

/** Answered as it should, answered with 503, or not answered. */
type CallResult = "answered" | "refused" | "lost";

/** Traders who use the product, each doing one thing after the other. */
export class Traffic {
  /** Answers that are never right. */
  readonly faults: string[] = [];
  readonly #harness: FaultHarness;
  readonly #image: Buffer;
  readonly #calls = new Map<string, { result: CallResult; tookMs: number }[]>();

  constructor(harness: FaultHarness, image: Buffer) {
    this.#harness = harness;
    this.#image = image;
  }

  /** Resolves once `stop` has fired and all traders have finished what they were doing. */
  async run(seed: number, stop: AbortSignal): Promise<void> {
    const working = this.#harness.traders.map(async (trader, index) => {
      const random = xoroshiro128plus(seed * 1_000 + index);
      while (!stop.aborted) {
        await this.#act(trader, random);
        await delay(uniformInt(random, MIN_PAUSE_MS, MAX_PAUSE_MS));
      }
    });
    await Promise.all(working);
  }

  /** One row for each kind of call; times in milliseconds. */
  rows() {
    return [...this.#calls].map(([call, calls]) => {
      const count = (result: CallResult) => calls.filter((one) => one.result === result).length;
      const times = calls
        .filter(({ result }) => result === "answered")
        .map(({ tookMs }) => Math.round(tookMs));
      return {
        call,
        answered: count("answered"),
        refused: count("refused"),
        lost: count("lost"),
        p50: percentile(times, 0.5),
        p95: percentile(times, 0.95),
      };
    });
  }

  async #act(trader: Trader, random: RandomGenerator): Promise<void> {
    const action = ACTIONS[uniformInt(random, 0, ACTIONS.length - 1)] ?? "history";
    const { servers } = this.#harness;
    const via = uniformInt(random, 0, 1) === 0 ? servers.a : servers.b;
    switch (action) {
      case "signal":
        return this.#request(trader, via, {});
      case "signal-waiting":
        return this.#request(trader, via, { waits: true });
      case "signal-with-image":
        return this.#request(trader, via, { image: this.#image });
      case "history":
        return this.#read(trader, via, "/signal-history");
      case "profile":
        return this.#read(trader, via, "/me");
      case "one-signal": {
        const known = trader.asked.at(-1)?.replies.at(-1);
        if (known?.kind === "accepted") await this.#read(trader, via, `/signals/${known.signalId}`);
        return;
      }
      case "connect":
        if (trader.sockets.length < MAX_SOCKETS) await this.#time("socket", trader.connect(via));
        return;
      case "disconnect":
        trader.sockets.shift()?.close();
        return;
      case "admin":
        return this.#administrate(trader, via, uniformInt(random, -2, 3));
    }
  }

  async #request(
    trader: Trader,
    via: ServiceSlot,
    extra: Pick<SignalRequestOptions, "waits" | "image">,
  ): Promise<void> {
    const { replies } = await trader.ask(via, { ...this.#harness.nextMarket(), ...extra });
    const path = extra.image ? "POST /get-signal-with-image" : "POST /get-signal";
    for (const { kind, tookMs } of replies) {
      const result = kind === "accepted" ? "answered" : kind;
      this.#add(extra.waits ? `${path}, waiting` : path, result, tookMs);
    }
  }

  async #read({ token }: Trader, { url }: ServiceSlot, path: string): Promise<void> {
    const route = path.replace(/^\/signals\/.*/, "/signals/:id");
    const answer = callApi(url + path, { token }).then(({ status }): CallResult => {
      if (status === 503) return "refused";
      if (status >= 400) this.faults.push(`${path} answered ${status}`);
      return "answered";
    });
    await this.#time(`GET ${route}`, answer);
  }

  async #administrate({ username }: Trader, via: ServiceSlot, credits: number): Promise<void> {
    const { administrator } = this.#harness;
    const done = administrator
      .post(via, `/admin/approve/${username}`)
      .then(() => administrator.grantCredits(via, username, credits));
    await this.#time("administration", done);
  }

  async #time(call: string, work: Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    const result = await work.then(
      (value): CallResult => (value === "refused" ? "refused" : "answered"),
      (): CallResult => "lost",
    );
    this.#add(call, result, performance.now() - startedAt);
  }

  #add(call: string, result: CallResult, tookMs: number): void {
    const calls = this.#calls.get(call) ?? [];
    calls.push({ result, tookMs });
    this.#calls.set(call, calls);
  }
}
