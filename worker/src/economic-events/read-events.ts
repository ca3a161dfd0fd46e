import type { EconomicEvent } from "@shared/contract/economic-events.ts";
import { z } from "zod";
import { fetchBody, type RequestLimits } from "../market-data/fetch-body.ts";
import { ProviderError } from "../market-data/market-data.ts";
import type { ProviderPauses } from "../market-data/provider-pauses.ts";

const PROVIDER = "economic calendar";

/** The calendar of a week has about a hundred events. */
const LIMITS: RequestLimits = {
  headersTimeoutMs: 4_000,
  totalTimeoutMs: 8_000,
  maxBytes: 8_000_000,
};

const MAX_TITLE_LENGTH = 120;

/** Titles are shown, sent and given to a model: one line without brackets, by which a text could end its block. */
const titleSchema = z
  .string()
  .transform((title) =>
    title
      .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
      .replaceAll(/[<>]/g, "")
      .trim()
      .slice(0, MAX_TITLE_LENGTH),
  )
  .pipe(z.string().min(1));

const IMPACTS = { high: "High", medium: "Medium", low: "Low", holiday: "Holiday" } as const;

/** A time without an offset could be of any zone, so such a row is not used. */
const rowSchema = z
  .object({
    title: titleSchema,
    country: z
      .string()
      .trim()
      .toUpperCase()
      .regex(/^[A-Z]{3}$/),
    date: z
      .string()
      .trim()
      .pipe(z.iso.datetime({ offset: true })),
    impact: z
      .string()
      .trim()
      .toLowerCase()
      .pipe(z.enum(["high", "medium", "low", "holiday"])),
  })
  .transform(
    ({ title, country, date, impact }): EconomicEvent => ({
      title,
      currency: country,
      at: new Date(date).toISOString(),
      impact: IMPACTS[impact],
    }),
  );

/**
 * The usable rows of a calendar, in order of their time, each once.
 * @throws ProviderError if the text is no JSON array, or none of its rows can be used
 */
export function parseEvents(text: string): EconomicEvent[] {
  const rows = z.array(z.unknown()).safeParse(parseJson(text)).data;
  if (!rows) throw nonsense("the answer is no JSON array");
  const events = rows.flatMap((row) => rowSchema.safeParse(row).data ?? []);
  if (events.length === 0 && rows.length > 0) throw nonsense("no row is a usable event");
  const unique = new Map(events.map((event) => [JSON.stringify(event), event]));
  return [...unique.values()].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw nonsense("the answer is no JSON", error);
  }
}

const nonsense = (message: string, cause?: unknown): ProviderError =>
  new ProviderError({ provider: PROVIDER, failure: "nonsense", message, cause });

/** Reads the calendar at `url`. @throws ProviderError */
export function fetchEvents(
  url: string,
  pauses: ProviderPauses,
  abort: AbortSignal,
): Promise<EconomicEvent[]> {
  const request = { provider: PROVIDER, url, abort, limits: LIMITS, onAnswer: () => undefined };
  return pauses.run(PROVIDER, async (admit) => {
    await admit();
    const response = await fetchBody(request);
    if (!response.ok) {
      const message = `answered with status ${response.status}`;
      throw new ProviderError({ provider: PROVIDER, failure: "refused", message });
    }
    return parseEvents(await response.text());
  });
}
