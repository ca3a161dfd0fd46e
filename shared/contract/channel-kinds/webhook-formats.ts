import { z } from "zod";

interface FormatFacts {
  name: string;
  /** For whom its messages are. */
  hint: string;
  /** True if its receiver acts on trades and is sent nothing else. */
  isForTrades: boolean;
}

/** Each has a file in `worker/src/delivery/kinds/webhook/formats`. */
export const WEBHOOK_FORMATS = {
  standard: {
    name: "Standard Webhooks",
    hint: "Signed JSON for your own server",
    isForTrades: false,
  },
  discord: { name: "Discord", hint: "An incoming webhook of Discord", isForTrades: false },
  slack: { name: "Slack", hint: "An incoming webhook of Slack", isForTrades: false },
  cornix: {
    name: "Cornix",
    hint: "A signal as text that Cornix reads; trades only",
    isForTrades: true,
  },
  "3commas": {
    name: "3Commas",
    hint: "A custom signal for a Signal Bot; trades only",
    isForTrades: true,
  },
  template: { name: "Own template", hint: "JSON as you write it; trades only", isForTrades: true },
} as const satisfies Record<string, FormatFacts>;

export type WebhookFormat = keyof typeof WEBHOOK_FORMATS;

const MAX_TEMPLATE_LENGTH = 10_000;
const MAX_BOT_FIELD_LENGTH = 500;

export const webhookFormatSchema = z.enum(
  ["standard", "discord", "slack", "cornix", "3commas", "template"],
  { error: "Choose a format of the list." },
);

const templateSchema = z
  .string({ error: "Enter a template." })
  .max(MAX_TEMPLATE_LENGTH, { error: "Use at most 10,000 characters." });

const botFieldSchema = z
  .string()
  .trim()
  .max(MAX_BOT_FIELD_LENGTH, { error: "Use at most 500 characters." });

/** What a webhook is sent, as its user chooses it. */
export const formatFields = {
  format: webhookFormatSchema.optional().meta({
    description: "How messages are written; `standard` by default, and only it is signed",
  }),
  template: templateSchema.optional().meta({
    description:
      "Of the format `template`: JSON with `{{symbol}}`, `{{side}}`, `{{entry}}`, `{{stop_loss}}`, `{{take_profit}}`, `{{confidence}}`, `{{timeframe}}`, `{{id}}`",
  }),
  bot_uuid: botFieldSchema
    .optional()
    .meta({ description: "Of the format `3commas`: `bot_uuid` in the bot's message" }),
  bot_secret: botFieldSchema
    .optional()
    .meta({ description: "Of the format `3commas`: `secret` in the bot's message" }),
};
export const formatChangeSchema = z.object(formatFields);
export type FormatChange = z.infer<typeof formatChangeSchema>;

/** The same, as it is stored. */
export const storedFormatFields = {
  format: webhookFormatSchema.optional(),
  template: z.string().optional(),
  bot: z.object({ uuid: z.string(), secret: z.string() }).optional(),
};
