import { setTimeout as delay } from "node:timers/promises";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import { percentile } from "../../bench/lib/report.ts";
import { callApi } from "../harness/api.ts";
import type { FaultHarness } from "../harness/harness.ts";
import type { ServiceSlot } from "../harness/service-slot.ts";
import type { Trader } from "../harness/trader.ts";

/** A trader looks at what he got before he does the next thing, in milliseconds. */
const PAUSE_MS = { least: 100, most: 900 } as const;
const MOST_SOCKETS = 2;
const UNAVAILABLE = 503;

/** What a trader does next; those that stand here more often are done more often. */
const DEEDS = [
  ...["signal", "signal", "signal", "signal-waiting", "signal-with-picture"],
  ...["history", "history", "profile", "one-signal", "connect", "disconnect", "admin"],
] as const;
type Deed = (typeof DEEDS)[number];

/** Traders who use the product as long as they are let, each doing one thing after the other. */
export class Traffic {
  readonly figures = new CallFigures();
  /** What was answered as it never should be. */
  readonly faults: string[] = [];
  readonly #stage: FaultHarness;
  readonly #picture: Buffer;
  readonly #seed: number;

  constructor(options: { stage: FaultHarness; picture: Buffer; seed: number }) {
    this.#stage = options.stage;
    this.#picture = options.picture;
    this.#seed = options.seed;
  }

  /** Resolves once `stop` has fired and everybody has ended what he was at. */
  async run(stop: AbortSignal): Promise<void> {
    await Promise.all(
      this.#stage.traders.map((trader, index) => this.#keepBusy(trader, index, stop)),
    );
  }

  async #keepBusy(trader: Trader, index: number, stop: AbortSignal): Promise<void> {
    const random = xoroshiro128plus(this.#seed * 1_000 + index);
    while (!stop.aborted) {
      const deed = DEEDS[uniformInt(random, 0, DEEDS.length - 1)] ?? "history";
      await this.#do(deed, trader, random);
      await delay(uniformInt(random, PAUSE_MS.least, PAUSE_MS.most));
    }
  }

  #do(deed: Deed, trader: Trader, random: RandomGenerator): Promise<void> {
    const via = uniformInt(random, 0, 1) === 0 ? this.#stage.servers.a : this.#stage.servers.b;
    switch (deed) {
      case "signal":
        return this.#ask(trader, via, {});
      case "signal-waiting":
        return this.#ask(trader, via, { waits: true });
      case "signal-with-picture":
        return this.#ask(trader, via, { picture: this.#picture });
      case "history":
        return this.#get("GET /signal-history", { via, path: "/signal-history", trader });
      case "profile":
        return this.#get("GET /me", { via, path: "/me", trader });
      case "one-signal":
        return this.#readOne(trader, via);
      case "connect":
        return this.#connect(trader, via);
      case "disconnect":
        trader.sockets.shift()?.close();
        return Promise.resolve();
      case "admin":
        return this.#administrate(trader, via, uniformInt(random, -2, 3));
    }
  }

  async #ask(
    trader: Trader,
    via: ServiceSlot,
    extra: { waits?: boolean; picture?: Buffer },
  ): Promise<void> {
    const { replies } = await trader.ask(via, { ...this.#stage.nextMarket(), ...extra });
    const name = extra.picture ? "POST /get-signal-with-image" : "POST /get-signal";
    for (const reply of replies) {
      const end = reply.kind === "accepted" ? "answered" : reply.kind;
      this.figures.note(extra.waits ? `${name}, waiting` : name, end, reply.tookMs);
    }
  }

  async #readOne(trader: Trader, via: ServiceSlot): Promise<void> {
    const known = trader.asked.at(-1)?.replies.at(-1);
    if (known?.kind !== "accepted") return;
    await this.#get("GET /signals/:id", { via, path: `/signals/${known.signalId}`, trader });
  }

  async #get(
    name: string,
    { via, path, trader }: { via: ServiceSlot; path: string; trader: Trader },
  ): Promise<void> {
    const startedAt = performance.now();
    const tookMs = () => performance.now() - startedAt;
    try {
      const { status } = await callApi({ via, path, token: trader.token });
      if (status >= 400 && status !== UNAVAILABLE) this.faults.push(`${path} answered ${status}`);
      this.figures.note(name, status === UNAVAILABLE ? "refused" : "answered", tookMs());
    } catch {
      this.figures.note(name, "lost", tookMs());
    }
  }

  async #connect(trader: Trader, via: ServiceSlot): Promise<void> {
    if (trader.sockets.length >= MOST_SOCKETS) return;
    const startedAt = performance.now();
    const end = await trader.connect(via).then(
      (): CallEnd => "answered",
      (): CallEnd => "lost",
    );
    this.figures.note("socket", end, performance.now() - startedAt);
  }

  /** Approves once more, which changes nothing, and sells or takes back credits. */
  async #administrate(trader: Trader, via: ServiceSlot, credits: number): Promise<void> {
    const startedAt = performance.now();
    const { administrator } = this.#stage;
    const end = await administrator
      .approve(via, trader.username)
      .then(() => administrator.grantCredits(via, trader.username, credits))
      .then(
        (): CallEnd => "answered",
        (): CallEnd => "lost",
      );
    this.figures.note("administration", end, performance.now() - startedAt);
  }
}

/** What came of a call: it was answered as it should, with a 503, or not at all. */
type CallEnd = "answered" | "refused" | "lost";

/** One kind of call, as the table shows it; times in milliseconds. */
interface CallRow {
  call: string;
  answered: number;
  refused: number;
  lost: number;
  p50: number;
  p95: number;
}

/** Counts calls by their kind and end. */
class CallFigures {
  readonly #calls = new Map<string, { end: CallEnd; tookMs: number }[]>();

  note(call: string, end: CallEnd, tookMs: number): void {
    const known = this.#calls.get(call) ?? [];
    known.push({ end, tookMs });
    this.#calls.set(call, known);
  }

  rows(): CallRow[] {
    return [...this.#calls].map(([call, ends]) => {
      const count = (end: CallEnd) => ends.filter((one) => one.end === end).length;
      const times = ends.filter(({ end }) => end === "answered").map(({ tookMs }) => tookMs);
      return {
        call,
        answered: count("answered"),
        refused: count("refused"),
        lost: count("lost"),
        p50: Math.round(percentile(times, 0.5)),
        p95: Math.round(percentile(times, 0.95)),
      };
    });
  }
}
