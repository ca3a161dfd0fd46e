import { DAY_MS } from "@shared/contract/constants.ts";
import type { EconomicEvent } from "@shared/contract/economic-events.ts";
import { eventsConcerning } from "@shared/domain/economic-events.ts";
import { formatUtc } from "../fetch-candles.ts";
import { type EvidenceSource, isoTime } from "./evidence-source.ts";
import { wordsOfTitle } from "./words-of-title.ts";

/** A busy day of the dollar has about fifteen. */
const MAX_EVENTS = 8;
const BY_IMPACT = ["High", "Medium", "Holiday", "Low"] as const;

/** Scheduled events of the 24 hours after the close that concern the market. */
export const scheduledEvents: EvidenceSource = {
  key: "events",
  title: "Scheduled events",
  covers: () => true,
  async gather({ brief }, { events }) {
    const known = await events;
    if (!known) return [];
    const from = brief.lastCandleAt;
    const coming = eventsConcerning(brief.symbol, known.events).filter(({ at }) => {
      const time = Date.parse(at);
      return time >= from && time <= from + DAY_MS;
    });
    const rows = mostImportant(coming).map(
      ({ at, currency, impact, title }) =>
        `${formatUtc(Date.parse(at))}, ${currency}, ${impact}: ${wordsOfTitle(title)}`,
    );
    const text =
      rows.length === 0
        ? "Scheduled events of the next 24 hours: none"
        : [
            "Scheduled events of the next 24 hours, time, currency, impact and title:",
            ...rows,
          ].join("\n");
    // Events are announced days ahead: one that is read after the close was known before it.
    const knownAt = Math.min(known.readAt.getTime(), from);
    return [{ key: "events", text, known_at: isoTime(knownAt), source: "economic calendar" }];
  },
};

/** In order of their time; where there are too many, those with the least impact are left out. */
function mostImportant(events: readonly EconomicEvent[]): EconomicEvent[] {
  const rank = ({ impact }: EconomicEvent) => BY_IMPACT.indexOf(impact);
  return events
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MAX_EVENTS)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}
