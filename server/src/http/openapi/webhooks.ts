import { type ChannelEvent, channelEventSchema, eventNamesOf } from "@shared/contract/channels.ts";
import { eventSchemas } from "@shared/contract/events.ts";
import { z } from "zod";

const SUMMARIES: Record<ChannelEvent, string> = {
  "signal.completed": "A signal is ready",
  "signal.filled": "The trade of a signal was entered",
  "signal.entry_left": "The price left the entry zone of a signal",
  "signal.outcome": "The market has decided the outcome of a signal",
  "account.updated": "Access, role or credits of the account changed",
  "subscription.expiring": "The subscription ends soon",
  "proof.submitted": "A proof of payment was submitted (administrators)",
  "user.registered": "A user registered (administrators)",
  "budget.reached": "80 or 100 % of the AI budget of the day is used (administrators)",
};

const HEADERS = {
  "webhook-id": "The same in all attempts to send this message.",
  "webhook-timestamp": "Time of this attempt in Unix seconds.",
  "webhook-signature":
    "One or more signatures of `id.timestamp.body`, as `v1,` and HMAC-SHA256 in base64, separated by spaces.",
};

/** `signal.entry_left` is `SignalEntryLeftMessage`. */
const schemaId = (event: ChannelEvent): string =>
  `${event.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Message`;

const dataSchemas = new Map<string, z.ZodType>(Object.entries(eventSchemas));

/** Messages by event, described beside the other schemas of the document. */
const messages = channelEventSchema.options.map((event) => {
  const [name = ""] = eventNamesOf([event]);
  const data = dataSchemas.get(name) ?? z.unknown();
  const id = schemaId(event);
  const schema = z.object({ type: z.literal(event), timestamp: z.iso.datetime(), data });
  z.globalRegistry.add(schema, { id });
  return { event, id };
});

/** What webhook channels receive, as the `webhooks` of OpenAPI. */
export function describeWebhooks() {
  return Object.fromEntries(
    messages.map(({ event, id }) => [event, { post: describe(event, id) }]),
  );
}

const describe = (event: ChannelEvent, id: string) => ({
  tags: ["Channels"],
  summary: SUMMARIES[event],
  description: "Signed as in Standard Webhooks. Sent at least once, in order for each channel.",
  security: [],
  parameters: Object.entries(HEADERS).map(([name, description]) => ({
    ...{ in: "header", name, description, required: true, schema: { type: "string" } },
  })),
  requestBody: {
    required: true,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${id}` } } },
  },
  responses: {
    "2XX": { description: "Received. Any other response is retried for up to nine hours." },
    410: { description: "Turns the channel off." },
  },
});
