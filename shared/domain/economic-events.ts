import { DAY_MS } from "@shared/contract/constants.ts";
import { type EconomicEvent, eventsInWindow } from "@shared/contract/economic-events.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import type { Database } from "../database/database.ts";
import {
  ECONOMIC_CALENDAR_ID,
  type EconomicCalendarRecord,
} from "../database/models/economic-calendar.ts";
import { isUsdLike, symbolCurrencies } from "./sizing.ts";

/** A calendar that could not be read for so long may lack events. */
const MAX_AGE_MS = DAY_MS;

/** The stored calendar; null if there is none, or an old one. */
export async function readEconomicCalendar({
  economicCalendar,
  now,
}: Database): Promise<EconomicCalendarRecord | null> {
  const calendar = await economicCalendar.findById(ECONOMIC_CALENDAR_ID).lean();
  if (!calendar || now().getTime() - calendar.readAt.getTime() > MAX_AGE_MS) return null;
  return calendar;
}

/** The warning of a signal that is made in the window of High events; none outside. */
export function eventWarnings(events: readonly EconomicEvent[], at: number): string[] {
  const current = eventsInWindow(events, at);
  if (current.length === 0) return [];
  const named = current.map(
    ({ title, currency, at: eventAt }) => `${title} (${currency}) at ${eventAt.slice(11, 16)} UTC`,
  );
  return [`Event: ${named.join("; ")}. Prices may jump around it.`];
}

/** The warning of a signal of this market that is made now, by the stored calendar. */
export async function currentEventWarnings(database: Database, symbol: string): Promise<string[]> {
  const calendar = await readEconomicCalendar(database);
  const events = eventsConcerning(symbol, calendar?.events ?? []);
  return eventWarnings(events, database.now().getTime());
}

/** Currencies whose events move the market: those of the pair. Everything but currency pairs is priced in dollars. */
function currenciesOf(symbol: string): Set<string> {
  const { base, quote } = symbolCurrencies(symbol);
  const pair = [base, quote].map((currency) => (isUsdLike(currency) ? "USD" : currency));
  return new Set(instrumentClass(symbol) === "forex" ? pair : [...pair, "USD"]);
}

export function eventsConcerning(
  symbol: string,
  events: readonly EconomicEvent[],
): EconomicEvent[] {
  const currencies = currenciesOf(symbol);
  return events.filter(({ currency }) => currencies.has(currency));
}
