import { confidenceWords } from "../confidence-words.ts";
import type { Outcome } from "../signal.ts";
import type { EventText, Wording } from "./event-entry.ts";

interface MarketFields {
  symbol?: string | undefined;
  timeframe?: string | undefined;
}

interface Named extends MarketFields {
  signal_id?: string | undefined;
  /** Where it is known. */
  direction?: string | undefined;
}

interface Shown extends Named {
  origin?: string | undefined;
  analysis?: ShownAnalysis | null | undefined;
}

interface ShownAnalysis {
  final_signal: string;
  confidence?: number | undefined;
  calibrated_confidence?: number | null | undefined;
}

type Priced = Named & { price?: number | null | undefined };

const pageOf = ({ signal_id: id }: Named) => ({
  path: id === undefined ? "/signal-history" : `/signals/${id}`,
  button: "Open the signal",
});

const marketOf = ({ direction, symbol, timeframe }: Named, { unknownSignal }: Wording): string =>
  symbol === undefined
    ? unknownSignal
    : [direction ?? [], symbol, timeframe ?? []].flat().join(" ");

function describeResult(data: Shown, wording: Wording): EventText {
  const { analysis, origin } = data;
  const market = marketOf(data, wording);
  if (!analysis) return { title: `Signal ready: ${market}`, text: "", ...pageOf(data) };
  const { final_signal: kind, confidence } = analysis;
  const title = `${kind} ${market}`;
  return {
    title: origin === "watchlist" ? `Watched market: ${title}` : title,
    text:
      confidence === undefined ? "" : (confidenceWords(kind, { ...analysis, confidence }) ?? ""),
    ...pageOf(data),
  };
}

const OUTCOME_TEXTS: Record<Outcome, string> = {
  WIN: "The trade reached its take profit.",
  LOSS: "The trade reached its stop loss.",
  EXPIRED: "The trade was closed at its hold limit.",
};

/** Why a trade is `EXPIRED` otherwise. */
export const EXPIRY_TEXTS = {
  "not-filled": "The entry was not filled in time.",
  "no-data": "The market has no prices any more. The last known close counts.",
} as const;

const isOutcome = (text: string): text is Outcome => Object.hasOwn(OUTCOME_TEXTS, text);

const at = (price: number | null | undefined, { price: format }: Wording): string =>
  price == null ? "" : ` at ${format(price)}`;

export const SIGNAL_EVENTS = {
  "signal:queued": { audience: "user" },
  "signal:started": { audience: "user" },
  "signal:completed": {
    audience: "user",
    isNotified: true,
    describe: describeResult,
    channel: {
      event: "signal.completed",
      isDefault: true,
      when: "A signal is ready",
      plural: "New signals",
    },
  },
  "signal:failed": {
    audience: "user",
    isNotified: true,
    describe: (data: Shown, wording: Wording): EventText => ({
      title: `Signal failed: ${marketOf(data, wording)}`,
      text: "",
      ...pageOf(data),
    }),
  },
  "signal:filled": {
    audience: "user",
    isNotified: true,
    describe: (data: Priced, wording: Wording): EventText => ({
      title: `Entry filled: ${marketOf(data, wording)}`,
      text: `The trade was entered${at(data.price, wording)}.`,
      ...pageOf(data),
    }),
    channel: {
      event: "signal.filled",
      isDefault: false,
      when: "The entry of a trade is filled",
      plural: "Entries filled",
    },
  },
  "signal:entry-left": {
    audience: "user",
    isNotified: true,
    describe: (data: Priced, wording: Wording): EventText => ({
      title: `Entry missed: ${marketOf(data, wording)}`,
      text: `The price left the entry zone${at(data.price, wording)}. Do not enter this trade late.`,
      ...pageOf(data),
    }),
    channel: {
      event: "signal.entry_left",
      isDefault: false,
      when: "An entry is missed",
      plural: "Entries missed",
    },
  },
  "signal:outcome": {
    audience: "user",
    isNotified: true,
    describe: (data: Named & { outcome?: string | undefined }, wording: Wording): EventText => {
      const { outcome = "Resolved" } = data;
      return {
        title: `${outcome}: ${marketOf(data, wording)}`,
        text: isOutcome(outcome) ? OUTCOME_TEXTS[outcome] : "",
        ...pageOf(data),
      };
    },
    channel: {
      event: "signal.outcome",
      isDefault: true,
      when: "A trade has won, lost or expired",
      plural: "Results",
    },
  },
} as const;
