import { z } from "zod";
import { withoutThinking } from "./find-answer.ts";

/** What a model wrote, and why it stopped. */
export interface Completion {
  model: string | undefined;
  /** Without thinking that the server separates. */
  text: string;
  end: "complete" | "cut-off" | "declined";
  /** The limit was reached before the first word of an answer. */
  isOnlyReasoning: boolean;
}

export interface TokenCounts {
  promptTokens: number;
  /** Includes reasoning. */
  completionTokens: number;
}

const text = z.string().nullish().catch(null);
const fallible = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(null);

const callSchema = z.object({ arguments: z.unknown().optional() });
const messageSchema = z.object({
  content: z.unknown().optional(),
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: fallible(z.array(z.object({ function: fallible(callSchema) }))),
  function_call: fallible(callSchema),
});
const choiceSchema = z.object({
  finish_reason: text,
  error: z.unknown().optional(),
  message: messageSchema,
});
const completionSchema = z.object({ model: text, choices: z.array(choiceSchema).min(1) });

const CUT_OFF = ["length", "max_tokens", "max_output_tokens", "model_length"];
const DECLINED = ["content_filter", "safety", "refusal"];
/** The server gave up. */
const FAILED = ["error", "insufficient_system_resource"];

/** Null for a body without an answer: an error, no choices, or another document. */
export function readCompletion(body: unknown): Completion | null {
  const parsed = completionSchema.safeParse(body);
  const choice = parsed.data?.choices[0];
  if (!parsed.success || !choice) return null;
  const { message } = choice;
  const reason = choice.finish_reason?.toLowerCase() ?? "";
  const written = textOf(message);
  if (choice.error || FAILED.includes(reason)) return null;
  if (errorOf(body) !== null && written === "") return null;
  const hasRefused = message.refusal || refusalIn(message.content) || DECLINED.includes(reason);
  const isCutOff = CUT_OFF.includes(reason);
  return {
    model: parsed.data.model ?? undefined,
    text: written,
    end: endOf({ hasRefused: Boolean(hasRefused), isCutOff }),
    isOnlyReasoning: isCutOff && withoutThinking(written) === "",
  };
}

function endOf({ hasRefused, isCutOff }: { hasRefused: boolean; isCutOff: boolean }) {
  if (hasRefused) return "declined";
  return isCutOff ? "cut-off" : "complete";
}

const bodyErrorSchema = z.object({ error: z.unknown().optional() });

/** The error object of a body, whatever its status; null without one. */
export function errorOf(body: unknown): unknown {
  return bodyErrorSchema.safeParse(body).data?.error || null;
}

/** The content, and the arguments of tool calls, which some models use although there are no tools. */
function textOf({ content, tool_calls, function_call }: z.infer<typeof messageSchema>): string {
  const calls = [...(tool_calls?.map((call) => call.function) ?? []), function_call];
  const texts = [contentText(content), ...calls.map((call) => jsonText(call?.arguments))];
  return texts.filter((each) => each !== "").join("\n");
}

const partSchema = z.object({ type: z.string().default("text"), text: z.string() });
const refusalPartSchema = z.object({ type: z.literal("refusal"), refusal: z.string() });
const TEXT_PARTS = ["text", "output_text"];

/** Text, parts of which thinking is ignored, or the object itself. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) {
    const part = partSchema.safeParse(content).data;
    return part ? part.text : jsonText(content);
  }
  if (!content.some((part) => typeof part === "string" || isPart(part))) return jsonText(content);
  return content.map(partText).join("");
}

const isPart = (part: unknown): boolean => z.object({ type: z.string() }).safeParse(part).success;

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const parsed = partSchema.safeParse(part).data;
  return parsed && TEXT_PARTS.includes(parsed.type) ? parsed.text : "";
}

const refusalIn = (content: unknown): boolean =>
  Array.isArray(content) && content.some((part) => refusalPartSchema.safeParse(part).success);

function jsonText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const count = z.number().int().nonnegative();
const usageSchema = z.object({
  usage: z.object({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count.nullish().catch(null),
  }),
});

/** Some servers count reasoning in the total alone. Null without counts. */
export function readTokens(body: unknown): TokenCounts | null {
  const usage = usageSchema.safeParse(body).data?.usage;
  if (!usage) return null;
  const { prompt_tokens: promptTokens, completion_tokens: written, total_tokens: total } = usage;
  const completionTokens = Math.max(written, (total ?? 0) - promptTokens);
  return { promptTokens, completionTokens };
}
