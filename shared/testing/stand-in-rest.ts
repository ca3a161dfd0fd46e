import type { IncomingHttpHeaders } from "node:http";
import { setTimeout } from "node:timers/promises";
import {
  distorted,
  type ExchangeBehaviour,
  FAULTS,
  isFault,
} from "./stand-in-exchange-behaviour.ts";
import type { ServedCandle } from "./stand-in-exchange-protocol.ts";
import { type HttpStandIn, sendJson, startHttpStandIn } from "./stand-in-http.ts";

/** A request as a stand-in for a candle service hears it. */
export interface RestQuestion {
  url: URL;
  headers: IncomingHttpHeaders;
}

/** A service of candles with one kind of address. */
export interface StandInRest extends HttpStandIn {
  /** Every request so far, whatever came of it. */
  readonly requests: readonly RestQuestion[];
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
export async function startStandInRest(
  answer: (
    question: RestQuestion,
    served: (candles: ServedCandle[]) => ServedCandle[],
  ) => { status: number; body: unknown },
): Promise<StandInRest> {
  const requests: RestQuestion[] = [];
  let set: { behaviour: ExchangeBehaviour; times: number } = { behaviour: "ok", times: 0 };
  const nextBehaviour = (): ExchangeBehaviour => {
    if (set.times === 0) return "ok";
    set.times -= 1;
    return set.behaviour;
  };
  const server = await startHttpStandIn(async ({ url, headers }, response) => {
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
