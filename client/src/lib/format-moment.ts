import { PRICE_DECIMALS } from "@shared/contract/constants.ts";
import { once } from "./once.ts";

const price = once(() => new Intl.NumberFormat("en-US", { maximumFractionDigits: PRICE_DECIMALS }));
const time = once(() => new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }));
const dateTime = once(
  () => new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }),
);

/** A price within a sentence, e.g. `113,900` or `1.16981`. */
export const formatPriceInText = (value: number): string => price().format(value);

/** An ISO time within a sentence, in the reader's own time zone: `14:05` today, and with its date on any other day. */
export function formatMoment(iso: string, now: Date): string {
  const at = new Date(iso);
  return at.toDateString() === now.toDateString() ? time().format(at) : dateTime().format(at);
}
