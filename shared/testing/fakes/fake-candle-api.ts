import type { IncomingHttpHeaders } from "node:http";
import { setTimeout } from "node:timers/promises";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { isOpen, nextOpen } from "../../../worker/src/market-data/trading-hours.ts";
import {
  distorted,
  type ExchangeBehaviour,
  FAULTS,
  isFault,
  type ServedCandle,
} from "./exchanges/protocol.ts";
import { type HttpFake, sendJson, startHttpFake } from "./fake-http.ts";

/** A request as a stand-in for a candle service hears it. */
export interface CandleApiRequest {
  url: URL;
  headers: IncomingHttpHeaders;
}

/** A service of candles with one kind of address. */
export interface FakeCandleApi extends HttpFake {
  /** Every request so far, whatever came of it. */
  readonly requests: readonly CandleApiRequest[];
  /** @param times how many requests it concerns, after which all is well again; without it, all */
  behave(behaviour: ExchangeBehaviour, times?: number): void;
  /** All is well again, and nothing has been asked. */
  reset(): void;
}

const SLOW_MS = 150;

/**
 * Starts a stand-in that answers as `answer` says.
 * @param answer given what makes the candles, oldest first, what they are while it misbehaves
 */
export async function startFakeCandleApi(
  answer: (
    question: CandleApiRequest,
    served: (candles: ServedCandle[]) => ServedCandle[],
  ) => { status: number; body: unknown },
): Promise<FakeCandleApi> {
  const requests: CandleApiRequest[] = [];
  let set: { behaviour: ExchangeBehaviour; times: number } = { behaviour: "ok", times: 0 };
  const nextBehaviour = (): ExchangeBehaviour => {
    if (set.times === 0) return "ok";
    set.times -= 1;
    return set.behaviour;
  };
  const server = await startHttpFake(async ({ url, headers }, response) => {
    const question = { url: new URL(url ?? "/", "http://stand-in"), headers };
    requests.push(question);
    const behaviour = nextBehaviour();
    if (isFault(behaviour)) return FAULTS[behaviour](response);
    if (behaviour === "slow") await setTimeout(SLOW_MS);
    const { status, body } = answer(question, (candles) => distorted(candles, behaviour));
    sendJson(response, body, status);
  });
  return {
    ...server,
    requests,
    behave: (behaviour, times = Number.POSITIVE_INFINITY) => {
      set = { behaviour, times };
    },
    reset: () => {
      set = { behaviour: "ok", times: 0 };
      requests.length = 0;
    },
  };
}

/** Opening times from `from` up to `until`, on the grid, of the candles within which a market trades at all. */
export function tradedSlots(options: {
  hours: TradingHours;
  timeframe: Timeframe;
  from: number;
  until: number;
}): number[] {
  const { hours, timeframe, from, until } = options;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const onGrid = (time: number) => Math.floor(time / lengthMs) * lengthMs;
  const slots: number[] = [];
  let slot = Math.ceil(from / lengthMs) * lengthMs;
  while (slot <= until) {
    const opensAt = isOpen(hours, slot) ? slot : nextOpen(hours, slot);
    if (opensAt < slot + lengthMs) {
      if (opensAt <= until) slots.push(slot);
      slot += lengthMs;
    } else {
      slot = onGrid(opensAt);
    }
  }
  return slots;
}
