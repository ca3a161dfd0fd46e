import { SIGNAL_DEFAULTS, SIGNAL_LIMITS, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { timeframeSchema } from "@shared/contract/market-data.ts";
import type { SizingInput } from "@shared/contract/position-size.ts";
import { type SignalRequest, signalRequestSchema } from "@shared/contract/signal.ts";
import { z } from "zod";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { type FormErrors, issuesToFieldErrors, toFormErrors } from "../../lib/api/errors.ts";
import { onLiveEvent } from "../../lib/realtime/events.ts";
import { useSession } from "../../lib/session.ts";

const botInputsSchema = z.object({
  symbol: z.string(),
  timeframe: timeframeSchema,
  amount: z.number().nullable(),
  riskPercent: z.number().nullable(),
  leverage: z.number().nullable(),
});
export type BotInputs = z.infer<typeof botInputsSchema>;

const { symbol, timeframe, amount, riskPercent, leverage } = SIGNAL_DEFAULTS;
export const defaultInputs: BotInputs = { symbol, timeframe, amount, riskPercent, leverage };

interface ReadInputs {
  request?: SignalRequest;
  errors?: FormErrors;
}

/** The amount is in USD. */
export const INPUT_LIMITS = {
  amount: { min: 0.01, max: 1e12 },
  riskPercent: { min: 0.01, max: SIGNAL_LIMITS.riskPercent.max },
  leverage: SIGNAL_LIMITS.leverage,
} as const;

/** The numbers of the form, each within its range; a missing one is its default. */
export function stakeOf(inputs: BotInputs): SizingInput {
  const inRange = (field: keyof typeof INPUT_LIMITS) => {
    const { min, max } = INPUT_LIMITS[field];
    return Math.min(Math.max(inputs[field] ?? SIGNAL_DEFAULTS[field], min), max);
  };
  return {
    amount: inRange("amount"),
    riskPercent: inRange("riskPercent"),
    leverage: inRange("leverage"),
  };
}

/** The request that the form describes, or its errors by field. */
export function readInputs(inputs: BotInputs): ReadInputs {
  const { amount, riskPercent: risk_percent, leverage } = stakeOf(inputs);
  const { symbol, timeframe } = inputs;
  const stake = { amount, risk_percent, leverage };
  const parsed = signalRequestSchema.safeParse({ symbol, timeframe, ...stake });
  if (parsed.success) return { request: parsed.data };
  return { errors: toFormErrors(issuesToFieldErrors(parsed.error.issues)) };
}

const MAX_TRACKED = 6;

const trackedSchema = z.object({
  id: z.string(),
  symbol: z.string(),
  timeframe: timeframeSchema,
  /** By this browser's clock, Unix milliseconds. */
  requestedAt: z.number(),
  withImage: z.boolean().default(false),
});
export type TrackedSignal = z.infer<typeof trackedSchema>;

const pendingSchema = z.object({
  /** Makes it safe to send the request again. */
  key: z.string(),
  request: signalRequestSchema,
  requestedAt: z.number(),
  /** The image itself does not survive a reload. */
  withImage: z.boolean().default(false),
  /** The server could not be reached; sent again only if the user asks for the same. */
  givenUp: z.boolean(),
});
export type PendingRequest = z.infer<typeof pendingSchema>;

export interface Failure {
  kind: "refused" | "broken" | "late";
  text: string;
  pending: PendingRequest;
}

const persistedSchema = z.object({
  inputs: botInputsSchema,
  pending: pendingSchema.nullable(),
  tracked: z.array(trackedSchema),
  /** The signal that the user went back to; null shows the newest request. */
  selectedId: z.string().nullable(),
});

export interface BotState extends z.infer<typeof persistedSchema> {
  /** Belongs to the pending request. */
  image: File | null;
  failure: Failure | null;
}

const initialState: BotState = {
  inputs: defaultInputs,
  pending: null,
  tracked: [],
  selectedId: null,
  image: null,
  failure: null,
};

/** State of this tab's bot page; survives a reload, but not the session. */
export const useBot = create<BotState>()(
  persist(() => initialState, {
    name: "bot",
    storage: createJSONStorage(() => sessionStorage),
    partialize: ({ image: _image, failure: _failure, ...persisted }) => persisted,
    merge: (stored, current) => ({ ...current, ...persistedSchema.safeParse(stored).data }),
  }),
);

useSession.subscribe((session, before) => {
  if (session.token !== before.token) useBot.setState(initialState);
});

onLiveEvent((event) => {
  if (event.name === "history:cleared") useBot.setState({ tracked: [], selectedId: null });
});

/** A refusal concerns the symbol that it was for. */
export function setInputs(change: Partial<BotInputs>): void {
  useBot.setState(({ inputs, failure }) => {
    const isOther = change.symbol !== undefined && change.symbol !== inputs.symbol;
    const isOver = isOther && failure?.kind === "refused";
    return { inputs: { ...inputs, ...change }, failure: isOver ? null : failure };
  });
}

export function track(signal: TrackedSignal): void {
  useBot.setState(({ tracked }) => ({
    tracked: [signal, ...tracked.filter(({ id }) => id !== signal.id)]
      .sort((a, b) => b.requestedAt - a.requestedAt)
      .slice(0, MAX_TRACKED),
  }));
}

/** Shows one of this tab's signals and the chart of its market; a late request stays pending. */
export function select(id: string): void {
  useBot.setState(({ failure, inputs, tracked }) => {
    const { symbol, timeframe } = tracked.find((signal) => signal.id === id) ?? inputs;
    return {
      selectedId: id,
      failure: failure?.kind === "late" ? failure : null,
      inputs: { ...inputs, symbol, timeframe },
    };
  });
}

export function untrack(id: string): void {
  useBot.setState(({ tracked, selectedId }) => ({
    tracked: tracked.filter((signal) => signal.id !== id),
    selectedId: selectedId === id ? null : selectedId,
  }));
}

/** The signal that the page shows: the one that the user went back to, or the newest request. */
export function shownSignal({ tracked, selectedId, pending, failure }: BotState) {
  const selected = tracked.find(({ id }) => id === selectedId);
  const isWaiting = pending !== null && !pending.givenUp;
  return selected ?? (isWaiting || failure?.kind === "broken" ? undefined : tracked[0]);
}

/** Whether a signal is of the market that the form names. */
export const isOfMarket = (
  { symbol, timeframe }: Pick<TrackedSignal, "symbol" | "timeframe">,
  inputs: Pick<BotInputs, "symbol" | "timeframe">,
): boolean => symbol === inputs.symbol.trim().toUpperCase() && timeframe === inputs.timeframe;

export const isLate = (
  { requestedAt, withImage }: Pick<TrackedSignal, "requestedAt" | "withImage">,
  now: number,
): boolean => now - requestedAt >= (withImage ? TIMEOUTS_MS.signalWithImage : TIMEOUTS_MS.signal);
