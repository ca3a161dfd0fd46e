import type { ModelServerTraits } from "@shared/database/models/model-server.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { ResponseFormatJSONSchema } from "openai/resources/shared";
import type { RejectableParameter } from "./server-traits.ts";

/** Settings of every call. */
export interface ChatSettings {
  model: string;
  /** Includes the tokens of the model's reasoning. */
  maxOutputTokens: number;
  /** `auto`, the default, uses the first that the server accepts. */
  responseFormat?: Settings["OPENAI_RESPONSE_FORMAT"];
  reasoningEffort?: Settings["OPENAI_REASONING_EFFORT"];
}

/** What the model is asked, whatever the server accepts. */
export interface Question {
  /** The rules. */
  system: string;
  text: string;
  /** Data URL. */
  chartImage?: string;
  /** An answer that was not accepted, and why. */
  later: ChatCompletionMessageParam[];
  /** Of the answer. */
  format: ResponseFormatJSONSchema;
}

/** A question in the form that the server accepts. */
export function chatBody(
  question: Question,
  settings: ChatSettings,
  traits: ModelServerTraits,
): ChatCompletionCreateParamsNonStreaming {
  const { responseFormat: format, tokenLimit, leftOut } = traits;
  const { model, maxOutputTokens, reasoningEffort } = settings;
  const hasEffort = reasoningEffort !== undefined && !leftOut.includes("reasoning_effort");
  return {
    model,
    messages: messages(question, { hasSystemRole: !leftOut.includes("system_role") }),
    ...(tokenLimit !== "none" && { [tokenLimit]: maxOutputTokens }),
    ...(format === "json_schema" && { response_format: question.format }),
    ...(format === "json_object" && { response_format: { type: "json_object" } }),
    ...(hasEffort && { reasoning_effort: reasoningEffort }),
  };
}

/** What such a request has that a server may reject. */
export function sentParameters(
  { reasoningEffort }: ChatSettings,
  { responseFormat, tokenLimit, leftOut }: ModelServerTraits,
): RejectableParameter[] {
  const hasEffort = reasoningEffort !== undefined && !leftOut.includes("reasoning_effort");
  return [
    ...(responseFormat === "text" ? [] : (["response_format"] as const)),
    ...(tokenLimit === "none" ? [] : (["token_limit"] as const)),
    ...(hasEffort ? (["reasoning_effort"] as const) : []),
    ...(leftOut.includes("system_role") ? [] : (["system_role"] as const)),
  ];
}

/** User and assistant take turns: many chat templates refuse two messages of the same role. */
function messages(
  { system, text, chartImage, later }: Question,
  { hasSystemRole }: { hasSystemRole: boolean },
): ChatCompletionMessageParam[] {
  const firstText = hasSystemRole ? text : [system, text].join("\n\n");
  return [
    ...(hasSystemRole ? [{ role: "system" as const, content: system }] : []),
    { role: "user", content: withImage(firstText, chartImage) },
    ...later,
  ];
}

/** Text alone is sent as such: not every server accepts parts. */
function withImage(
  text: string,
  chartImage: string | undefined,
): string | ChatCompletionContentPart[] {
  if (chartImage === undefined) return text;
  return [
    { type: "text", text },
    { type: "image_url", image_url: { url: chartImage } },
  ];
}
