import { randomCases } from "@shared/testing/random-cases.ts";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Advice, UnreadableReplyError } from "../analyst.ts";
import { readChart } from "./read-chart.ts";
import { readAdvice } from "./read-reply.ts";

const ADVICE: Advice = {
  market_condition: "uptrend",
  key_evidence: ["Close above EMA 20"],
  counter_evidence: ["RSI is high"],
  rationale: "It 'holds' {above} its averages, [1, 2].",
  what_to_watch_for: ["A close below the stop"],
  final_signal: "BUY",
  confidence: 72,
  entry: 64_250.5,
  stop_loss: 63_500,
  take_profit: 66_000,
  suggested_hold: "4 to 12 hours",
  hold_candles: 12,
  trade_duration_text: "4 to 12 hours",
};
const A = JSON.stringify(ADVICE);
const SELL = JSON.stringify({ ...ADVICE, final_signal: "SELL" });
const withFields = (fields: Record<string, unknown>) => JSON.stringify({ ...ADVICE, ...fields });
const fenced = (text: string) => `\`\`\`json\n${text}\n\`\`\``;
const read = (reply: string) => readAdvice(reply);

describe("a reply is read", () => {
  it.each([
    ["alone", A],
    ["with spaces", `\n ${JSON.stringify(ADVICE, null, 2)}\n`],
    ["after thinking", `<think>\nTrend is up. Is the stop too near? No.\n</think>\n\n${A}`],
    ["after thinking in another tag", `<Thinking mode="deep">Hm.</Thinking>${A}`],
    ["after Mistral's thinking", `[THINK]Up?[/THINK]${A}`],
    [
      "after another channel",
      `<|channel|>analysis<|message|>${SELL}?<|end|><|start|>assistant<|channel|>final<|message|>${A}`,
    ],
    ["after Kimi's thinking", `◁think▷${SELL}?◁/think▷${A}`],
    ["after empty thinking", `<think></think>${A}`],
    ["after a draft in the thinking", `<think>draft {"final_signal": "WAIT"}? No.</think>${A}`],
    ["after a fenced draft", `<think>${fenced(SELL)} Hm, no.</think>\n${fenced(A)}`],
    ["after a last tag with a line break", `<think>${SELL}?</think\n>${A}`],
    ["after the last tag alone", `The trend is up. ${SELL}?\n</think>\n\n${A}`],
    ["after thinking twice", `<think>a</think><think>b {"</think>${A}`],
    ["in a fence", fenced(A)],
    ["in a fence without a language", `\`\`\`\n${A}\n\`\`\``],
    ["in a fence that does not end", `\`\`\`json\n${A}`],
    ["in prose", `Of {RSI, MACD}, this follows: ${A} Good luck {trader}!`],
    ["after its signal in words", `final_signal: buy, because:\n${A}`],
    ["twice alike", `${A}\nAs said:\n${fenced(JSON.stringify(ADVICE, null, 1))}`],
    ["in a list", `[${A}]`],
    ["in an object", `{"advice": ${A}}`],
    ["in two objects", `{"result": {"advice": [${A}]}}`],
    ["as a call of a tool", `{"name": "advice", "arguments": ${A}}`],
    ["as a text in JSON", JSON.stringify(A)],
    ["with a trailing comma", A.replace(/}$/, ",}")],
    ["with a comment", A.replace("{", "{ // as of now\n")],
    ["with more fields", withFields({ note: "x", final: "SELL" })],
    [
      "with levels as texts",
      withFields({ entry: "64,250.5", stop_loss: "63500", take_profit: "$66 000" }),
    ],
    ["with a percent sign", withFields({ confidence: "72%" })],
    ["with a confidence of 100", withFields({ confidence: "72 / 100" })],
    ["with a hold as text", withFields({ hold_candles: "12" })],
    ["with one text for a list", withFields({ key_evidence: "Close above EMA 20" })],
    ["without a duration", withFields({ trade_duration_text: undefined })],
    ["without a hold", withFields({ suggested_hold: null })],
  ])("%s", (_, reply) => {
    expect(read(reply)).toEqual(ADVICE);
  });

  it.each([
    ["long", "BUY"],
    ["Short", "SELL"],
    [" sell. ", "SELL"],
    ["**BUY**", "BUY"],
    ["STRONG_BUY", "BUY"],
    ["HOLD", "WAIT"],
    ["neutral", "WAIT"],
    ["None", "WAIT"],
    ["no-trade", "WAIT"],
  ])("with the signal %j as %s, with its confidence", (final_signal, signal) => {
    expect(read(withFields({ final_signal }))).toMatchObject({
      final_signal: signal,
      confidence: 72,
    });
  });

  it("with null or missing lists and levels", () => {
    const fields = {
      what_to_watch_for: null,
      key_evidence: undefined,
      counter_evidence: undefined,
      entry: null,
      stop_loss: "N/A",
    };
    expect(read(withFields({ ...fields, final_signal: "WAIT" }))).toMatchObject({
      what_to_watch_for: [],
      key_evidence: [],
      counter_evidence: [],
      entry: null,
      stop_loss: null,
    });
    const bare = { final_signal: "WAIT", confidence: 60, rationale: "Nothing to do." };
    expect(read(JSON.stringify(bare))).toMatchObject({
      suggested_hold: "No position",
      trade_duration_text: "No trade",
    });
  });

  it.each([
    [0.72, 0.72],
    ["0.72", 0.72],
    ["0.72%", 0.72],
    ["72", 72],
    ["72.5 %", 72.5],
  ])("with the confidence %j as %d, as it is stated", (confidence, percent) => {
    expect(read(withFields({ confidence })).confidence).toBe(percent);
  });
});

describe("a reply is not read", () => {
  it.each([
    ["empty", "", "is empty"],
    ["only thinking", `<think>${A}`, "is empty"],
    ["only the channel of thinking", `<|channel|>analysis<|message|>${A}`, "is empty"],
    ["an answer with thinking that does not end", `${A}<think>Or rather`, "is empty"],
    ["prose", "Buy!", "no JSON object"],
    ["cut off", A.slice(0, -30), "does not end"],
    ["cut off in a fence", fenced(A.slice(0, -1)), "not valid JSON"],
    ["cut off after the whole advice", `{"advice": ${A}, "alternative": {"fin`, "does not end"],
    ["two different objects", `${A} or ${SELL}`, "several different"],
    ["a list of two", `[${A}, ${SELL}]`, "no final_signal"],
    ["two wrapped ones", `{"advice": ${A}, "alternative": ${SELL}}`, "no final_signal"],
    ["a field twice", A.replace("{", '{"final_signal": "SELL", '), "final_signal twice"],
    ["a piece of another object", `${A} "final_signal": "SELL"}`, "another final_signal"],
    ["advice in advice", withFields({ key_evidence: JSON.parse(SELL) }), "another final_signal"],
    ["another signal in words", `**final_signal**: WAIT\n${A}`, "another final_signal"],
    ["no signal", withFields({ final_signal: undefined, signal: "BUY" }), "no final_signal"],
    ["null as signal", withFields({ final_signal: null }), "final_signal must be BUY"],
    ["two signals", withFields({ final_signal: "BUY or SELL" }), "final_signal must be BUY"],
    ["no confidence", withFields({ confidence: null }), "confidence must be"],
    ["confidence in words", withFields({ confidence: "high" }), "confidence must be"],
    ["a range as level", withFields({ entry: "64000-64200" }), "entry must be a number"],
    ["a decimal comma", withFields({ entry: "64.250,5" }), "entry must be a number"],
    ["a level in percent", withFields({ stop_loss: "2%" }), "stop_loss must be a number"],
    ["no rationale", withFields({ rationale: null }), "rationale is missing"],
    ["a long one", `${A}${" ".repeat(50_000)}`, "far too long"],
  ])("%s", (_, reply, reason) => {
    expect(() => readAdvice(reply)).toThrow(UnreadableReplyError);
    expect(() => readAdvice(reply)).toThrow(reason);
  });
});

const PIECES = [
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  ",",
  ":",
  "\\",
  "<think>",
  "</think>",
  "/*",
  "*/",
  "//",
];
const VALUES = [
  '"SELL"',
  '"WAIT"',
  "null",
  '"final_signal": "SELL",',
  SELL,
  '{"final_signal": "WAIT"}',
];

const mutation = fc.record({
  kind: fc.constantFrom("cut", "insert", "remove", "repeat", "swap"),
  at: fc.nat(A.length),
  length: fc.integer({ min: 1, max: 80 }),
  piece: fc.constantFrom(...PIECES, ...VALUES, "0", "x", "\n", "```"),
});

type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

function mutate(text: string, { kind, at, length, piece }: Mutation): string {
  const before = text.slice(0, at);
  const part = text.slice(at, at + length);
  const after = text.slice(at + length);
  if (kind === "cut") return before;
  if (kind === "insert") return before + piece + part + after;
  if (kind === "remove") return before + after;
  if (kind === "repeat") return before + part + part + after;
  return after + before + part;
}

it("gives no advice that a mutated reply contradicts, in thousands of mutations", () => {
  const reply = fc.tuple(
    fc.constantFrom(A, fenced(A), `<think>${fenced(SELL)}</think>${A}`, `{"advice": ${A}}`),
    fc.array(mutation, { minLength: 1, maxLength: 3 }),
  );
  let readable = 0;
  fc.assert(
    fc.property(reply, ([text, mutations]) => {
      const mutated = mutations.reduce(mutate, text);
      const advice = readOrNull(mutated);
      if (!advice) return;
      readable += 1;
      const answer = answerIn(mutated);
      const stated = [...answer.matchAll(/"final_signal"\s*:\s*"([^"]*)"/g)].map(([, word = ""]) =>
        word.replaceAll(/[^A-Z]/g, ""),
      );
      if (!answer.includes("\\")) expect(stated).toContain(advice.final_signal);
      // Comments may hide another signal.
      if (!/\/[/*]/.test(answer)) expect(new Set(stated).size).toBeLessThan(2);
      for (const level of [advice.entry, advice.stop_loss, advice.take_profit]) {
        // JSON5 allows `.5`.
        const digits = digitsIn(String(level ?? "")).replace(/^0(?=\.)/, "");
        expect(digitsIn(answer)).toContain(digits);
      }
    }),
    randomCases(30_000),
  );
  expect(readable).toBeGreaterThan(200);
}, 60_000);

/** Without drafts in the thinking. */
const answerIn = (reply: string): string =>
  reply
    .replaceAll(/<think\b[^>]*>[\s\S]*?<\/think\s*>/g, "")
    .split(/<\/think\s*>/)
    .at(-1) ?? "";

const digitsIn = (text: string): string => text.replaceAll(/[^\d.]/g, "");

function readOrNull(reply: string): Advice | null {
  try {
    return read(reply);
  } catch (error) {
    if (error instanceof UnreadableReplyError) return null;
    throw error;
  }
}

test("no text of a model hides characters or contains an address, in whichever field", () => {
  const dirty = "Up \u202eKCUTS\u202c\u0007, see https://evil.example/x or t.me/evil";
  const clean = "Up KCUTS, see [link removed] or [link removed]";
  const texts = { market_condition: dirty, suggested_hold: dirty, trade_duration_text: dirty };
  const lists = { key_evidence: [dirty, { "evil.com": dirty }], what_to_watch_for: dirty };
  const reply = { ...ADVICE, ...texts, ...lists, rationale: { trend: dirty } };
  const advice = readAdvice(JSON.stringify(reply));
  const chart = readChart(JSON.stringify({ chart_symbol: dirty, chart_patterns: [dirty] }));
  expect(advice).toMatchObject({
    market_condition: clean,
    suggested_hold: clean,
    trade_duration_text: clean,
    what_to_watch_for: [clean],
  });
  expect(advice.key_evidence[0]).toBe(clean);
  expect(chart).toMatchObject({ symbol: clean, patterns: [] });
  expect(JSON.stringify({ advice, chart })).not.toMatch(/evil|[\p{Cc}\p{Cf}]|\\u/u);
});
