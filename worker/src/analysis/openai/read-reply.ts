import { type Rationale, rationaleSchema, type SignalKind } from "@shared/contract/signal.ts";
import { z } from "zod";
import { type Advice, NO_TRADE } from "../analyst.ts";
import { objectSchema, ReplyFault, readAnswer } from "./find-answer.ts";
import { level, list, numberIn, numeric, sentence, words } from "./reply-fields.ts";

/**
 * Reads the one advice in a reply.
 * @throws UnreadableReplyError with a sentence for the model
 */
export function readAdvice(rawReply: string): Advice {
  return readAnswer(rawReply, "final_signal", ({ object, json, prose }) => {
    const advice = parseAdvice(object);
    // Such as a piece of another object.
    const inProse = [...prose.matchAll(STATED_SIGNAL)].map(([, word = ""]) => word);
    const stated = [...inProse, ...signalsIn(json)].map((word) => signalIn(word));
    if (stated.some((kind) => kind !== advice.final_signal)) {
      throw new ReplyFault("The answer states another final_signal beside its advice.");
    }
    return advice;
  });
}

/** Each `final_signal` in a value of JSON, at any depth. */
function signalsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(signalsIn);
  const object = objectSchema.safeParse(value).data ?? {};
  return Object.entries(object).flatMap(([key, item]) =>
    key === "final_signal" ? String(item) : signalsIn(item),
  );
}

const STATED_SIGNAL = /final_signal["'`*\s]*[:=]["'`*\s]*(\w*)/gi;

const SIGNAL_WORDS: Readonly<Record<string, SignalKind>> = {
  BUY: "BUY",
  LONG: "BUY",
  "GO LONG": "BUY",
  "STRONG BUY": "BUY",
  SELL: "SELL",
  SHORT: "SELL",
  "GO SHORT": "SELL",
  "STRONG SELL": "SELL",
  WAIT: "WAIT",
  HOLD: "WAIT",
  NEUTRAL: "WAIT",
  NONE: "WAIT",
  "NO TRADE": "WAIT",
};

const signalIn = (text: string): SignalKind | undefined =>
  SIGNAL_WORDS[
    text
      .toUpperCase()
      .replaceAll(/[^A-Z]+/g, " ")
      .trim()
  ];

const signal = z.string({ error: "must be BUY, SELL or WAIT" }).transform((text, context) => {
  const kind = signalIn(text);
  if (kind) return kind;
  context.addIssue({ code: "custom", message: "must be BUY, SELL or WAIT" });
  return z.NEVER;
});

const confidence = numeric("must be a number from 0 to 100", (text) =>
  numberIn(text.replace(/\s*(?:%|\/\s*100)\s*$/, "")),
);

const rationale = rationaleSchema.transform((text: Rationale) => sentence(text));

/** Fields that are missing, in another case or of another type do not make the advice unusable, except those of a trade. */
const repliedAdviceSchema = z
  .object({
    market_condition: words,
    key_evidence: list,
    counter_evidence: list,
    rationale,
    what_to_watch_for: list,
    final_signal: signal,
    confidence,
    entry: level,
    stop_loss: level,
    take_profit: level,
    suggested_hold: words,
    hold_candles: level.catch(null),
    trade_duration_text: words,
  })
  .transform(({ market_condition, suggested_hold, trade_duration_text, ...read }): Advice => {
    const none = read.final_signal === "WAIT" ? NO_TRADE : NO_WORDS;
    return {
      ...read,
      market_condition: market_condition ?? "",
      suggested_hold: suggested_hold ?? trade_duration_text ?? none.suggested_hold,
      trade_duration_text: trade_duration_text ?? suggested_hold ?? none.trade_duration_text,
    };
  });

const NO_WORDS = { suggested_hold: "", trade_duration_text: "" };

const MAX_REASONS = 3;

function parseAdvice(value: unknown): Advice {
  const object = objectSchema.safeParse(value).data;
  if (!object || !("final_signal" in object)) {
    throw new ReplyFault("The JSON object of the answer has no final_signal.");
  }
  const advice = repliedAdviceSchema.safeParse(object);
  if (advice.success) return advice.data;
  const reasons = advice.error.issues
    .slice(0, MAX_REASONS)
    .map(({ path, message }) => `${path.join(".")} ${reasonOf(message)}`);
  throw new ReplyFault(`The answer does not follow the schema: ${reasons.join("; ")}.`);
}

const reasonOf = (message: string): string =>
  message.startsWith("must") ? message : "is missing or has the wrong type";
