import { type Timeframe, timeframeSchema } from "@shared/contract/candle.ts";
import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import type { FieldError } from "@shared/contract/errors.ts";
import { type SignalRequest, signalRequestSchema } from "@shared/contract/signal.ts";
import { z } from "zod";
import { type FormErrors, issuesToFieldErrors, toFormErrors } from "../../lib/api/field-errors.ts";
import { inputErrors } from "./texts.ts";

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
