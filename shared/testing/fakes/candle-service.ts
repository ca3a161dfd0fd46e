import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { MINUTE_MS, TIMEFRAMES } from "@shared/contract/constants.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isOpen, nextOpen } from "@shared/domain/trading-hours.ts";
import { type CandleSpan, recordedCandles } from "../recorded-candles.ts";
import { HTTP_FAULTS, sendHtml, sendJson, startHttpFake } from "./fake-http.ts";
import { mild, type ServedCandle, type Weather } from "./weather.ts";

/** Ways in which a service fails, whatever the request. */
const FAULTS = {
  ...HTTP_FAULTS,
  "rate-limited": (response: ServerResponse) => {
    response.setHeader("retry-after", "30");
    sendJson(response, { code: 429, msg: "Too many requests" }, 429);
  },
  /** As Binance does, for ten minutes. */
  banned: (response: ServerResponse) => {
    response.setHeader("retry-after", "600");
    const until = Date.now() + 600_000;
    const msg = `Way too much request weight used; IP banned until ${until}. Please use WebSocket.`;
    sendJson(response, { code: -1003, msg }, 418);
  },
  /** As Kraken does, with a status that says the opposite. */
  "limited-in-body": (response: ServerResponse) =>
    sendJson(response, { error: ["EAPI:Rate limit exceeded"] }),
  unavailable: (response: ServerResponse) => sendHtml(response, 503),
  blocked: (response: ServerResponse) =>
    sendJson(response, { msg: "Service unavailable from a restricted location" }, 451),
  garbage: (response: ServerResponse) => sendJson(response, '{"code":"0","data":[[{"what":'),
} as const;
type Fault = keyof typeof FAULTS;

/** Ways in which a service gives the wrong candles. */
const DISTORTIONS = {
  ok: (candles: ServedCandle[]) => candles,
  /** Responds after 150 ms. */
  slow: (candles: ServedCandle[]) => candles,
  empty: () => [],
  short: (candles: ServedCandle[]) => candles.slice(-Math.floor(candles.length / 10)),
  young: (candles: ServedCandle[]) => candles.slice(-60),
  gaps: (candles: ServedCandle[]) => candles.filter((_, index) => index % 4 !== 0),
  /** Three of five closed candles had no trades. */
  quiet: (candles: ServedCandle[]) =>
    candles.filter(({ time, isOpen: open }) => open || (time / MINUTE_MS / 5) % 5 < 2),
  /** The open candle has no trade yet, and the high of a closed one is below its close. */
  "broken-row": (candles: ServedCandle[]) =>
    candles.map((candle, index) => {
      if (candle.isOpen) return { ...candle, open: 0, high: 0, low: 0, close: 0 };
      return index === candles.length - 100 ? { ...candle, high: candle.close * 0.999 } : candle;
    }),
  doubled: (candles: ServedCandle[]) => candles.flatMap((candle) => [candle, candle]),
  stale: (candles: ServedCandle[]) => candles.slice(0, -10),
  /** The newest is a thousand candles old. */
  stopped: (candles: ServedCandle[]) => {
    const lengthMs = (candles[1]?.time ?? 0) - (candles[0]?.time ?? 0);
    return candles.map((candle) => ({
      ...candle,
      time: candle.time - 1_000 * lengthMs,
      isOpen: false,
    }));
  },
  /** The newest closed one is not published yet. */
  late: (candles: ServedCandle[]) => candles.filter(({ isOpen: open }) => !open).slice(0, -1),
} as const;
export type Distortion = keyof typeof DISTORTIONS;

export type ServiceBehaviour = Fault | Distortion;

const SLOW_MS = 150;

const isFault = (behaviour: ServiceBehaviour): behaviour is Fault => behaviour in FAULTS;

/** How a fake of a market data provider behaves. */
export interface ProviderOptions {
  now?: () => number;
  /** Mild by default, always the same. A test of a particular answer needs a calm one. */
  weather?: Weather;
  /** The candles of a perfect market; recorded ones by default. */
  candles?: (span: CandleSpan) => Candle[];
}

const DEFAULT_SEED = 1;

export const providerOf = (options: ProviderOptions): Required<ProviderOptions> => ({
  now: Date.now,
  weather: mild(DEFAULT_SEED),
  candles: recordedCandles,
  ...options,
});

/** Starts a fake service of candles; other requests than those that it identifies get a 404. */
export async function startCandleService<Request, Selection>(service: {
  identify: (request: IncomingMessage) => Request | undefined;
  isSelected: (request: Request, selection: Selection) => boolean;
  answer: (request: Request, distortion: Distortion) => CandleResponse;
  ban?: (request: Request) => Ban | null;
  onUpgrade?: Parameters<typeof startHttpFake>[1];
}) {
  const requests: Request[] = [];
  const rules: { behaviour: ServiceBehaviour; selection: Selection | undefined; left: number }[] =
    [];
  const nextBehaviour = (request: Request): ServiceBehaviour => {
    const rule = rules.findLast(
      ({ selection }) => !selection || service.isSelected(request, selection),
    );
    if (!rule || rule.left === 0) return "ok";
    rule.left -= 1;
    return rule.behaviour;
  };
  const server = await startHttpFake(async (received, response) => {
    const request = service.identify(received);
    if (!request) return sendJson(response, { error: "no such address" }, 404);
    requests.push(request);
    const behaviour = nextBehaviour(request);
    if (isFault(behaviour)) return FAULTS[behaviour](response);
    const ban = service.ban?.(request);
    if (ban) return sendBan(response, ban);
    if (behaviour === "slow") await setTimeout(SLOW_MS);
    const { body, status } = service.answer(request, behaviour);
    sendJson(response, body, status);
  }, service.onUpgrade);
  return {
    ...server,
    requests,
    /**
     * Sets the behaviour for all or the selected requests. Of several, the last applies.
     * @param selection.times number of requests, after which the service behaves normally again
     */
    behave: (behaviour: ServiceBehaviour, selection?: Selection & { times?: number }) => {
      const left = selection?.times ?? Number.POSITIVE_INFINITY;
      rules.push({ behaviour, selection, left });
    },
    reset: () => {
      rules.length = 0;
      requests.length = 0;
    },
  };
}

interface Ban {
  status: 418 | 429;
  until: number;
  now: number;
}

/** As Binance says it, in a header and in words. */
function sendBan(response: ServerResponse, { status, until, now }: Ban): void {
  response.setHeader("retry-after", String(Math.ceil((until - now) / 1_000)));
  const msg = `Way too much request weight used; IP banned until ${until}.`;
  sendJson(response, { code: -1003, msg }, status);
}

/** The ban of a provider in this weather. */
export function banOf(provider: string, { now, weather }: Required<ProviderOptions>): Ban | null {
  const at = now();
  const until = weather.bannedUntil(provider, at);
  return until === null ? null : { status: provider === "binance" ? 418 : 429, until, now: at };
}

export interface CandleResponse {
  status?: number;
  body: unknown;
}

/** Changes candles, oldest first, to those that a service with this behaviour gives. */
export const distort = (candles: ServedCandle[], distortion: Distortion): ServedCandle[] =>
  DISTORTIONS[distortion](candles);

/** The timeframe that a service calls `name`. */
export const timeframeNamed = (
  nameOf: (timeframe: Timeframe) => string,
  name: string,
): Timeframe | undefined => TIMEFRAMES.find((timeframe) => nameOf(timeframe) === name);

export interface CandleApiRequest {
  url: URL;
  headers: IncomingHttpHeaders;
}

export type FakeCandleApi = Awaited<ReturnType<typeof startFakeCandleApi>>;

export const startFakeCandleApi = (
  answer: (request: CandleApiRequest, distortion: Distortion) => CandleResponse,
  ban: () => Ban | null,
) =>
  startCandleService<CandleApiRequest, object>({
    identify: ({ url, headers }) => ({ url: new URL(url ?? "/", "http://fake"), headers }),
    isSelected: () => true,
    answer,
    ban,
  });

/** Opening times, from `from` to `until`, of the candles in which a market trades. */
export function tradedSlots(options: {
  hours: TradingHours;
  timeframe: Timeframe;
  from: number;
  until: number;
}): number[] {
  const { hours, timeframe, from, until } = options;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const slots: number[] = [];
  let slot = Math.ceil(from / lengthMs) * lengthMs;
  while (slot <= until) {
    const opensAt = isOpen(hours, slot) ? slot : nextOpen(hours, slot);
    if (opensAt < slot + lengthMs) {
      if (opensAt <= until) slots.push(slot);
      slot += lengthMs;
    } else {
      slot = Math.floor(opensAt / lengthMs) * lengthMs;
    }
  }
  return slots;
}
