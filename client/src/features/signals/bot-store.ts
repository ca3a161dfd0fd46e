import { type Timeframe, timeframeSchema } from "@shared/contract/candle.ts";
import { SIGNAL_DEFAULTS, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import type { FieldError } from "@shared/contract/errors.ts";
import { type SignalRequest, signalRequestSchema } from "@shared/contract/signal.ts";
import { z } from "zod";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { type FormErrors, issuesToFieldErrors, toFormErrors } from "../../lib/api/field-errors.ts";
import { onLiveEvent } from "../../lib/realtime/events.ts";
import { useSession } from "../../lib/session.ts";
import { inputErrors } from "./bot-messages.ts";

/** What the form holds; a number that is empty or does not parse is null. */
export const botInputsSchema = z.object({
  symbol: z.string(),
  timeframe: timeframeSchema,
  amount: z.number().nullable(),
  riskPercent: z.number().nullable(),
  leverage: z.number().nullable(),
});
export type BotInputs = z.infer<typeof botInputsSchema>;

const DEFAULT_TIMEFRAME: Timeframe = SIGNAL_DEFAULTS.timeframe;

export const defaultInputs: BotInputs = {
  symbol: SIGNAL_DEFAULTS.symbol,
  timeframe: DEFAULT_TIMEFRAME,
  amount: SIGNAL_DEFAULTS.amount,
  riskPercent: SIGNAL_DEFAULTS.riskPercent,
  leverage: SIGNAL_DEFAULTS.leverage,
};

type ReadInputs =
  | { request: SignalRequest; errors?: never }
  | { errors: FormErrors; request?: never };

/** The request that the form asks for, with the defaults for missing numbers, or what is wrong, by field. */
export function readInputs(inputs: BotInputs): ReadInputs {
  const parsed = signalRequestSchema.safeParse({
    symbol: inputs.symbol,
    timeframe: inputs.timeframe,
    amount: inputs.amount,
    risk_percent: inputs.riskPercent,
    leverage: inputs.leverage,
  });
  if (parsed.success) return { request: parsed.data };
  const fieldErrors = issuesToFieldErrors(parsed.error.issues).map(inOwnWords);
  return { errors: toFormErrors(fieldErrors) };
}

/** Ranges of numbers in words of the form rather than of the schema. */
const inOwnWords = ({ field, message }: FieldError): FieldError => ({
  field,
  message: inputErrors[field] ?? message,
});

/** How many of this tab's signals stay within reach. */
const TRACKED_MAX = 6;

const trackedSchema = z.object({
  id: z.string(),
  symbol: z.string(),
  timeframe: timeframeSchema,
  /** By this browser's clock, Unix milliseconds. */
  requestedAt: z.number(),
  withImage: z.boolean().default(false),
});
/** A signal asked for in this tab. */
export type TrackedSignal = z.infer<typeof trackedSchema>;

const attemptSchema = z.object({
  key: z.string(),
  request: signalRequestSchema,
  requestedAt: z.number(),
  /** A chart image goes with it; the image itself does not survive a reload. */
  withImage: z.boolean().default(false),
  /** The server could not be reached; sent again only if the user asks for the same. */
  givenUp: z.boolean(),
});
/** A request that the server has not answered yet; its key makes it safe to send again. */
export type PendingRequest = z.infer<typeof attemptSchema>;

/** Why an attempt has given no signal: refused by the server, broken off, or not answered in time. */
export interface Failure {
  kind: "refused" | "broken" | "late";
  text: string;
  attempt: PendingRequest;
}

const keptSchema = z.object({
  inputs: botInputsSchema,
  attempt: attemptSchema.nullable(),
  tracked: z.array(trackedSchema),
  /** The signal that the user went back to; without one, the newest request is shown. */
  selectedId: z.string().nullable(),
});

export interface BotState extends z.infer<typeof keptSchema> {
  failure: Failure | null;
}

const initialState: BotState = {
  inputs: defaultInputs,
  attempt: null,
  tracked: [],
  selectedId: null,
  failure: null,
};

/** State of this tab's bot page; survives a reload, and is forgotten with the session. */
export const useBot = create<BotState>()(
  persist(() => initialState, {
    name: "bot",
    storage: createJSONStorage(() => sessionStorage),
    partialize: ({ inputs, attempt, tracked, selectedId }) => ({
      inputs,
      attempt,
      tracked,
      selectedId,
    }),
    merge: (kept, current) => ({ ...current, ...keptSchema.safeParse(kept).data }),
  }),
);

useSession.subscribe((session, before) => {
  if (session.token !== before.token) useBot.setState(initialState);
});

onLiveEvent((event) => {
  if (event.name === "history:cleared") useBot.setState({ tracked: [], selectedId: null });
});

export function setInputs(change: Partial<BotInputs>): void {
  useBot.setState(({ inputs }) => ({ inputs: { ...inputs, ...change } }));
}

/** Adds a signal to this tab's, newest first. */
export function track(signal: TrackedSignal): void {
  useBot.setState(({ tracked }) => ({
    tracked: [signal, ...tracked.filter(({ id }) => id !== signal.id)]
      .sort((a, b) => b.requestedAt - a.requestedAt)
      .slice(0, TRACKED_MAX),
  }));
}

/** Shows one of this tab's signals; a request still unanswered stays so. */
export function select(id: string): void {
  useBot.setState(({ failure }) => ({
    selectedId: id,
    failure: failure?.kind === "late" ? failure : null,
  }));
}

/** Forgets a signal that the server does not know. */
export function untrack(id: string): void {
  useBot.setState(({ tracked, selectedId }) => ({
    tracked: tracked.filter((signal) => signal.id !== id),
    selectedId: selectedId === id ? null : selectedId,
  }));
}

/** Whether the client has waited for a request as long as it is willing to. */
export const isLate = (
  { requestedAt, withImage }: Pick<TrackedSignal, "requestedAt" | "withImage">,
  now: number,
): boolean => now - requestedAt >= (withImage ? TIMEOUTS_MS.signalWithImage : TIMEOUTS_MS.signal);
