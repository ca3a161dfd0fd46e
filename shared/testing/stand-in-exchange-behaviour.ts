import type { ServerResponse } from "node:http";
import type { ServedCandle } from "./stand-in-exchange-protocol.ts";
import { sendHtml, sendJson, stallBody } from "./stand-in-http.ts";

/** Ways in which an exchange fails whatever it is asked. */
export const FAULTS = {
  /** The connection breaks before any answer. */
  down: (response: ServerResponse) => void response.destroy(),
  "stalled-headers": () => undefined,
  "stalled-body": stallBody,
  "rate-limited": (response: ServerResponse) => {
    response.setHeader("retry-after", "30");
    sendJson(response, { code: 429, msg: "Too many requests" }, 429);
  },
  unavailable: (response: ServerResponse) => sendHtml(response, 503),
  blocked: (response: ServerResponse) =>
    sendJson(response, { msg: "Service unavailable from a restricted location" }, 451),
  html: (response: ServerResponse) => sendHtml(response),
  garbage: (response: ServerResponse) => sendJson(response, '{"code":"0","data":[[{"what":'),
} as const;
export type ExchangeFault = keyof typeof FAULTS;

/** Ways in which an exchange answers in its own terms, but not as it should. */
const DISTORTIONS = {
  empty: () => [],
  /** A tenth of the candles, the newest. */
  short: (candles: ServedCandle[]) => candles.slice(-Math.floor(candles.length / 10)),
  /** The market has been listed for only sixty candles. */
  young: (candles: ServedCandle[]) => candles.slice(-60),
  /** Every fourth candle is missing. */
  gaps: (candles: ServedCandle[]) => candles.filter((_, index) => index % 4 !== 0),
  /** The newest ten are missing. */
  stale: (candles: ServedCandle[]) => candles.slice(0, -10),
  /** There is nothing newer than a thousand candles ago. */
  stopped: (candles: ServedCandle[]) => {
    const lengthMs = (candles[1]?.time ?? 0) - (candles[0]?.time ?? 0);
    return candles.map((candle) => ({
      ...candle,
      time: candle.time - 1_000 * lengthMs,
      isOpen: false,
    }));
  },
  /** The newest closed one has not been published yet. */
  late: (candles: ServedCandle[]) => candles.filter(({ isOpen }) => !isOpen).slice(0, -1),
} as const;
export type ExchangeDistortion = keyof typeof DISTORTIONS;

/** `slow` answers well after 150 ms. */
export type ExchangeBehaviour = "ok" | "slow" | ExchangeFault | ExchangeDistortion;

export function isFault(behaviour: ExchangeBehaviour): behaviour is ExchangeFault {
  return behaviour in FAULTS;
}

/** `candles`, oldest first, as an exchange that behaves like this gives them. */
export function distorted(
  candles: ServedCandle[],
  behaviour: Exclude<ExchangeBehaviour, ExchangeFault>,
): ServedCandle[] {
  if (behaviour === "ok" || behaviour === "slow") return candles;
  return DISTORTIONS[behaviour](candles);
}
