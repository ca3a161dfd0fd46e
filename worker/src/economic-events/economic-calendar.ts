import { createHash } from "node:crypto";
import { DAY_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import type { EconomicEvent } from "@shared/contract/economic-events.ts";
import type { Database } from "@shared/database/database.ts";
import { ECONOMIC_CALENDAR_ID } from "@shared/database/models/economic-calendar.ts";
import { readEconomicCalendar } from "@shared/domain/economic-events.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import { raceAbort } from "../deadline.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { ProviderPauses } from "../market-data/provider-pauses.ts";
import { fetchEvents } from "./read-events.ts";

/** Operators of public calendars permit a few requests an hour. */
const MAX_AGE_MS = 15 * MINUTE_MS;
/** In the background; analyses, which would wait for the answer, try later only. */
const RETRY_AFTER_MS = MINUTE_MS;
const ANALYSIS_RETRY_AFTER_MS = 2 * MINUTE_MS;

const KEPT_PAST_MS = DAY_MS;
const KEPT_AHEAD_MS = 14 * DAY_MS;
const MAX_EVENTS = 2_000;

/** What is known of scheduled events, and since when. */
export interface KnownEvents {
  events: readonly EconomicEvent[];
  readAt: Date;
}

/** Port of the scheduled events. Null if they are not known; never rejects except with the reason of `abort`. */
export interface EventSource {
  read(abort: AbortSignal): Promise<KnownEvents | null>;
}

interface EconomicCalendarOptions {
  database: Database;
  logger: Logger;
  url: string;
}

/** The calendar at an address, read by one worker for all and stored for the servers. */
export class EconomicCalendar implements EventSource {
  readonly #options: EconomicCalendarOptions;
  readonly #addressSha256: string;
  readonly #pauses: ProviderPauses;
  #running: Promise<KnownEvents | null> | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: EconomicCalendarOptions) {
    this.#options = options;
    this.#addressSha256 = createHash("sha256").update(options.url).digest("hex");
    this.#pauses = new ProviderPauses(options);
  }

  /** Reads the calendar whenever it is due, so that analyses find it. */
  keepCurrent(): { stop: () => Promise<void> } {
    return repeat({
      work: async (stopping) => void (await this.#current(stopping, RETRY_AFTER_MS)),
      intervalMs: RETRY_AFTER_MS,
      retryMs: RETRY_AFTER_MS,
      onError: (error) => this.#options.logger.debug({ err: error }, "calendar not read"),
    });
  }

  /** What is stored, unless it is of another address or too old; then it is read once more. */
  read(abort: AbortSignal): Promise<KnownEvents | null> {
    return this.#current(abort, ANALYSIS_RETRY_AFTER_MS);
  }

  async #current(abort: AbortSignal, retryAfterMs: number): Promise<KnownEvents | null> {
    const stored = await raceAbort(this.#stored(), abort);
    if (stored && this.#ageMs(stored) <= MAX_AGE_MS) return stored;
    if (performance.now() - this.#failedAtMs < retryAfterMs) return stored;
    return (await raceAbort(this.#refresh(), abort)) ?? stored;
  }

  #ageMs({ readAt }: KnownEvents): number {
    return this.#options.database.now().getTime() - readAt.getTime();
  }

  async #stored(): Promise<KnownEvents | null> {
    const calendar = await readEconomicCalendar(this.#options.database);
    return calendar?.addressSha256 === this.#addressSha256 ? calendar : null;
  }

  /** One request for all callers of this process, which goes on if they give up. */
  #refresh(): Promise<KnownEvents | null> {
    this.#running ??= this.#fetchAndStore()
      .catch((error: unknown) => {
        const isKnown = Number.isFinite(this.#failedAtMs);
        this.#failedAtMs = performance.now();
        const reason = error instanceof ProviderError ? error.message : String(error);
        if (!isKnown)
          this.#options.logger.warn({ reason }, "the economic calendar is not available");
        return null;
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #fetchAndStore(): Promise<KnownEvents> {
    const { database, url } = this.#options;
    const abort = new AbortController().signal;
    const all = await fetchEvents(url, this.#pauses, abort);
    const readAt = database.now();
    const events = nearEvents(all, readAt);
    await database.economicCalendar.updateOne(
      { _id: ECONOMIC_CALENDAR_ID },
      { $set: { addressSha256: this.#addressSha256, events, readAt } },
      { upsert: true },
    );
    this.#failedAtMs = Number.NEGATIVE_INFINITY;
    return { events, readAt };
  }
}

/** What analyses and pages of the next days can need. A calendar may hold years. */
function nearEvents(events: readonly EconomicEvent[], at: Date): EconomicEvent[] {
  const fromMs = at.getTime() - KEPT_PAST_MS;
  const untilMs = at.getTime() + KEPT_AHEAD_MS;
  return events
    .filter(({ at: eventAt }) => Date.parse(eventAt) >= fromMs && Date.parse(eventAt) <= untilMs)
    .slice(0, MAX_EVENTS);
}

/** For markets and times of which no calendar is known. */
export const NO_EVENTS: EventSource = { read: () => Promise.resolve(null) };
