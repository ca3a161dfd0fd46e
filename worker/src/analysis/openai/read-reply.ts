import { isDeepStrictEqual } from "node:util";
import {
  type Rationale,
  rationaleSchema,
  rationaleText,
  type SignalKind,
} from "@shared/contract/signal.ts";
import { z } from "zod";
import { type Advice, NO_TRADE, UnreadableReplyError } from "../analyst.ts";
import type { ChartReading } from "../check-chart.ts";
import { findJsonObjects, JsonTextError } from "./find-json-objects.ts";
import { plainText } from "./plain-text.ts";

export const MAX_REPLY_LENGTH = 50_000;

export interface ReadReply {
  advice: Advice;
  chart: ChartReading;
}

/**
 * Reads the one advice in a reply: JSON alone, fenced, in prose, in a list or another object, after the model's thinking.
 * Nothing is completed: a reply that is cut off, or contains several different objects, has no advice.
 * @throws UnreadableReplyError with a sentence for the model
 */
export function readAdvice(rawReply: string): ReadReply {
  const unreadable = (reason: string, cause?: unknown) =>
    new UnreadableReplyError({ reason, rawReply: rawReply.slice(0, MAX_REPLY_LENGTH), cause });
  if (rawReply.length > MAX_REPLY_LENGTH) throw unreadable("The answer is far too long.");
  try {
    return readAnswer(withoutThinking(rawReply));
  } catch (error) {
    if (error instanceof ReplyFault || error instanceof JsonTextError) {
      throw unreadable(error.message, error);
    }
    throw error;
  }
}

class ReplyFault extends Error {
  override readonly name = "ReplyFault";
}

const TAG = "(?:think|thinking|thought|reasoning|reflection)";
const THOUGHT_STARTS = `<${TAG}\\b[^>]*>|\\[THINK\\]|◁think▷|<\\|channel\\|>analysis`;
const THOUGHT_ENDS = `</${TAG}\\s*>|\\[/THINK\\]|◁/think▷|<\\|channel\\|>final\\s*<\\|message\\|>`;
const THOUGHTS = new RegExp(`(?:${THOUGHT_STARTS})[\\s\\S]*?(?:${THOUGHT_ENDS})`, "gi");
const THOUGHT_END = new RegExp(THOUGHT_ENDS, "gi");
const THOUGHT_START = new RegExp(THOUGHT_STARTS, "i");

/** What follows the thinking. Some servers leave out its first tag; while the last one is missing, there is no answer. */
export function withoutThinking(reply: string): string {
  const rest = reply.replaceAll(THOUGHTS, "\n");
  const end = [...rest.matchAll(THOUGHT_END)].at(-1);
  const answer = end ? rest.slice(end.index + end[0].length) : rest;
  return THOUGHT_START.test(answer) ? "" : answer.trim();
}

function readAnswer(text: string): ReadReply {
  if (text === "") throw new ReplyFault("The answer is empty.");
  const { values, prose } = findJsonObjects(fromJsonText(text));
  const [first, ...others] = values;
  if (first === undefined) throw new ReplyFault("The answer contains no JSON object.");
  if (others.some((other) => !isDeepStrictEqual(first, other))) {
    throw new ReplyFault("The answer contains several different JSON objects.");
  }
  const read = parseAdvice(unwrapped(first));
  // Such as a piece of another object.
  const inProse = [...prose.matchAll(STATED_SIGNAL)].map(([, word = ""]) => word);
  const stated = [...inProse, ...signalsIn(first)].map((word) => signalIn(word));
  if (stated.some((kind) => kind !== read.advice.final_signal)) {
    throw new ReplyFault("The answer states another final_signal beside its advice.");
  }
  return read;
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

/** Some models write the object as a JSON text in quotes. */
function fromJsonText(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return z.string().parse(JSON.parse(text));
  } catch {
    return text;
  }
}

const objectSchema = z.record(z.string(), z.unknown());

/** Keys that may stand beside wrapped advice, as in a tool call that a model writes as text. */
const LABELS = ["id", "name", "role", "status", "type"];

/** `[A]`, `{"advice": A}` and `{"name": "advice", "arguments": A}` are A. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? unwrapped(value[0]) : value;
  const object = objectSchema.safeParse(value).data;
  if (!object || "final_signal" in object) return value;
  const inner = Object.entries(object).filter(
    ([key, item]) => !(LABELS.includes(key) && typeof item === "string"),
  );
  const [entry] = inner;
  return inner.length === 1 && typeof entry?.[1] === "object" ? unwrapped(entry[1]) : value;
}

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

const GROUPED = /^[-+]?\d{1,3}([,'_ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?$/;
const PLAIN = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
const CURRENCY = /^[$€£¥]\s*|\s*(?:USDT?|USDC)$/gi;

/** `64,250.5`, `$64 250.5` and `64250.5`; undefined for anything else. */
function numberIn(text: string): number | undefined {
  const figure = text.trim().replaceAll(CURRENCY, "");
  if (PLAIN.test(figure)) return Number(figure);
  return GROUPED.test(figure) ? Number(figure.replaceAll(/[^\d.+-]/g, "")) : undefined;
}

const NO_VALUE = ["", "-", "n/a", "na", "none", "null", "nil"];
const isNoValue = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === "string" && NO_VALUE.includes(value.trim().toLowerCase()));

/** A number, or one in a text that `read` understands. */
const numeric = (message: string, read: (text: string) => number | undefined) =>
  z
    .unknown()
    .optional()
    .transform((value, context): number => {
      const figure = typeof value === "string" ? read(value) : value;
      if (typeof figure === "number" && Number.isFinite(figure)) return figure;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    });

const price = numeric("must be a number or null", numberIn);
const level = z
  .unknown()
  .optional()
  .transform((value, context): number | null => {
    if (isNoValue(value)) return null;
    const parsed = price.safeParse(value);
    if (parsed.success) return parsed.data;
    context.addIssue({ code: "custom", message: "must be a number or null" });
    return z.NEVER;
  });

const confidence = numeric("must be a number from 0 to 100", (text) =>
  numberIn(text.replace(/\s*(?:%|\/\s*100)\s*$/, "")),
);

const sentence = (value: unknown): string => {
  const rationale = rationaleSchema.safeParse(value);
  return plainText(rationale.success ? rationaleText(rationale.data) : String(value));
};

const words = z
  .unknown()
  .optional()
  .transform((value) => (isNoValue(value) ? null : sentence(value)));

const list = z
  .unknown()
  .optional()
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .transform((items) => items.filter((item) => !isNoValue(item)).map(sentence));

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

const repliedChartSchema = z
  .object({
    chart_symbol: words,
    chart_last_price: level.catch(null),
    chart_timeframe: words,
  })
  .transform(
    (read): ChartReading => ({
      symbol: read.chart_symbol,
      lastPrice: read.chart_last_price,
      timeframe: read.chart_timeframe,
    }),
  );

const MAX_REASONS = 3;

function parseAdvice(value: unknown): ReadReply {
  const object = objectSchema.safeParse(value).data;
  if (!object || !("final_signal" in object)) {
    throw new ReplyFault("The JSON object of the answer has no final_signal.");
  }
  const advice = repliedAdviceSchema.safeParse(object);
  if (advice.success) return { advice: advice.data, chart: repliedChartSchema.parse(object) };
  const reasons = advice.error.issues
    .slice(0, MAX_REASONS)
    .map(({ path, message }) => `${path.join(".")} ${reasonOf(message)}`);
  throw new ReplyFault(`The answer does not follow the schema: ${reasons.join("; ")}.`);
}

const reasonOf = (message: string): string =>
  message.startsWith("must") ? message : "is missing or has the wrong type";
