import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";

const contentPartSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
]);

/**
 * As much of a chat completion request as a compatible server must understand; anything else is a
 * 400.
 */
export const chatRequestSchema = z.looseObject({
  model: z.string(),
  max_completion_tokens: z.number().int().positive().optional(),
  messages: z
    .array(
      z.object({
        role: z.enum(["system", "developer", "user", "assistant"]),
        content: z.union([z.string(), z.array(contentPartSchema)]),
      }),
    )
    .min(1),
  response_format: z
    .object({
      type: z.literal("json_schema"),
      json_schema: z.object({
        name: z.string(),
        strict: z.boolean().optional(),
        schema: z.record(z.string(), z.unknown()),
      }),
    })
    .optional(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

export interface ReceivedChat {
  headers: IncomingHttpHeaders;
  body: ChatRequest;
  /** All text of the request, in order. */
  text: string;
  /** Addresses of all pictures in it. */
  images: string[];
}

/** The request as tests look at it. */
export function receivedChat(headers: IncomingHttpHeaders, body: ChatRequest): ReceivedChat {
  const parts = body.messages.flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
  );
  return {
    headers,
    body,
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"),
    images: parts.flatMap((part) => (part.type === "image_url" ? [part.image_url.url] : [])),
  };
}
