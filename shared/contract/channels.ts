import { z } from "zod";
import { channelKindSchema, checkKindFields, kindFields } from "./channel-kinds/channel-kinds.ts";
import { formatFields, webhookFormatSchema } from "./channel-kinds/webhook-formats.ts";
import { channelProblemSchema } from "./channel-problem.ts";
import { CHANNEL_DISABLED_REASONS } from "./constants.ts";
import { CHANNEL_ENTRIES } from "./events/event-table.ts";

export const MAX_CHANNELS = 10;
export const DELIVERIES_PER_PAGE = 50;

const eventsOf = (audience: "user" | "admins") =>
  CHANNEL_ENTRIES.filter((entry) => entry.audience === audience).map(({ event }) => event);

export const USER_CHANNEL_EVENTS = eventsOf("user");
export const ADMIN_CHANNEL_EVENTS = eventsOf("admins");

export const channelEventSchema = z.enum(
  CHANNEL_ENTRIES.map(({ event }) => event),
  { error: "Choose events of the list." },
);
export type ChannelEvent = z.infer<typeof channelEventSchema>;

/** The events of a new channel. Administrators also get theirs. */
export const DEFAULT_CHANNEL_EVENTS = CHANNEL_ENTRIES.filter(
  ({ audience, isDefault }) => audience === "user" && isDefault,
).map(({ event }) => event);

/** The event of a channel that an event of the stream becomes: `signal:entry-left` is `signal.entry_left`. */
export const channelEventOf = (eventName: string): ChannelEvent | null =>
  CHANNEL_ENTRIES.find(({ name }) => name === eventName)?.event ?? null;

/** What is known of an event for channels, with its name in the stream. */
export function factsOfEvent(event: ChannelEvent): (typeof CHANNEL_ENTRIES)[number] {
  const entry = CHANNEL_ENTRIES.find((known) => known.event === event);
  if (!entry) throw new RangeError(`Channels do not get ${event}.`);
  return entry;
}

/** `type` of a message: an event, a test, or the summary of what was held during quiet hours. */
export const messageTypeSchema = z.enum([
  ...channelEventSchema.options,
  "channel.test",
  "channel.summary",
]);
export type MessageType = z.infer<typeof messageTypeSchema>;

/** What a webhook receives. `data` of an event is as in its push. */
export const channelMessageSchema = z
  .object({ type: messageTypeSchema, timestamp: z.iso.datetime(), data: z.unknown() })
  .meta({ id: "ChannelMessage" });

/** `data` of `channel.summary`. `messages` are those that are still of use, the newest last, at most 20. */
export const summarySchema = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  counts: z.partialRecord(channelEventSchema, z.number().int().positive()),
  messages: z.array(channelMessageSchema),
});
export type ChannelSummary = z.infer<typeof summarySchema>;
export const MAX_SUMMARY_MESSAGES = 20;

/** `retrying` is also the status before the first attempt. */
export const deliveryStatusSchema = z.enum(["delivered", "retrying", "failed", "suppressed"]);
export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>;

/**
 * Why a channel was turned off: the receiver refuses messages for good, the user followed the link in an email, or the password
 * was changed or reset, so that a channel that somebody else had added gets nothing more.
 */
export const channelDisabledReasonSchema = z.enum(CHANNEL_DISABLED_REASONS);
export type ChannelDisabledReason = z.infer<typeof channelDisabledReasonSchema>;

export const channelSchema = z
  .object({
    id: z.string(),
    kind: channelKindSchema,
    label: z.string(),
    enabled: z.boolean(),
    events: z.array(channelEventSchema),
    /** `signal.completed` is sent from this confidence on. */
    min_confidence: z.number(),
    created_at: z.iso.datetime(),
    last_delivery: z.object({ at: z.iso.datetime(), status: deliveryStatusSchema }).nullable(),
    /** Null unless it was turned off by something other than `PATCH`. */
    disabled_reason: channelDisabledReasonSchema.nullable(),
    /** The last one since the channel was added or turned on. */
    problem: channelProblemSchema.optional(),
    /** Only of Telegram: false until the code has arrived. */
    linked: z.boolean().optional(),
    /** Only of Telegram that is linked, if there is a paid channel that it may be let into. */
    can_join: z.literal(true).optional(),
    /** Only of a webhook. */
    format: webhookFormatSchema.optional(),
    /** Only of a webhook with the format `template`. */
    template: z.string().optional(),
    /** Only of a webhook with the format `3commas`. */
    bot_uuid: z.string().optional(),
  })
  .meta({ id: "Channel" });
export type Channel = z.infer<typeof channelSchema>;

export const channelListSchema = z
  .object({ channels: z.array(channelSchema) })
  .meta({ id: "ChannelList" });
export type ChannelList = z.infer<typeof channelListSchema>;

/** The kinds of which a channel can be added to this service. */
export const offeredKindsSchema = z
  .object({ kinds: z.array(channelKindSchema) })
  .meta({ id: "OfferedChannelKinds" });
export type OfferedKinds = z.infer<typeof offeredKindsSchema>;

const eventsSchema = z
  .array(channelEventSchema, { error: "Choose events of the list." })
  .transform((events) => [...new Set(events)]);
const labelSchema = z
  .string({ error: "Enter a name." })
  .trim()
  .min(1, { error: "Enter a name." })
  .max(60, { error: "Use at most 60 characters." });
const CONFIDENCE_RANGE = { error: "Enter a confidence from 0 to 100." };
const minConfidenceSchema = z
  .number(CONFIDENCE_RANGE)
  .min(0, CONFIDENCE_RANGE)
  .max(100, CONFIDENCE_RANGE);

export const newChannelSchema = z
  .object({
    ...kindFields,
    kind: channelKindSchema,
    label: labelSchema.optional(),
    events: eventsSchema.optional(),
    min_confidence: minConfidenceSchema.default(0),
  })
  .check(checkKindFields)
  .meta({ id: "NewChannel" });
export type NewChannel = z.infer<typeof newChannelSchema>;

export const createdChannelSchema = channelSchema
  .extend({
    /** Of a webhook, shown once. */
    secret: z.string().optional(),
    /** Of Telegram: open it within 10 minutes. */
    link: z.string().optional(),
  })
  .meta({ id: "CreatedChannel" });
export type CreatedChannel = z.infer<typeof createdChannelSchema>;

export const channelChangeSchema = z
  .object({
    enabled: z.boolean({ error: "Use true or false." }),
    events: eventsSchema,
    label: labelSchema,
    min_confidence: minConfidenceSchema,
    ...formatFields,
  })
  .partial()
  .meta({ id: "ChannelChange" });
export type ChannelChange = z.infer<typeof channelChangeSchema>;

export const deliverySchema = z
  .object({
    /** The `webhook-id` of all attempts. */
    id: z.string(),
    event: messageTypeSchema,
    at: z.iso.datetime(),
    status: deliveryStatusSchema,
    attempts: z.number().int(),
    response_status: z.number().int().nullable(),
    error: z.string().nullable(),
    next_attempt_at: z.iso.datetime().nullable(),
    /** Name of the channel that got the message, because it was not delivered here within a minute. */
    passed_on_to: z.string().optional(),
    /** Name of the channel that the message is from. */
    passed_on_from: z.string().optional(),
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof deliverySchema>;

export const deliveryPageSchema = z
  .object({ deliveries: z.array(deliverySchema), next_cursor: z.string().nullable() })
  .meta({ id: "DeliveryPage" });
export type DeliveryPage = z.infer<typeof deliveryPageSchema>;

export const deliveryQuerySchema = z.object({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, { error: "Use the next_cursor of the previous page." })
    .optional()
    .meta({ description: "The `next_cursor` of the previous page" }),
});

export const publicKeySchema = z.object({ public_key: z.string() }).meta({ id: "PushPublicKey" });

/** The replaced secret also signs until `previous_until`. */
export const rotatedSecretSchema = z
  .object({ secret: z.string(), previous_until: z.iso.datetime() })
  .meta({ id: "RotatedSecret" });
export type RotatedSecret = z.infer<typeof rotatedSecretSchema>;

const timeOfDaySchema = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "Enter a time from 00:00 to 23:59." });

/** From `start` to `end` every day, over midnight if `end` is earlier. */
const quietHoursSchema = z
  .object({
    start: timeOfDaySchema,
    end: timeOfDaySchema,
    time_zone: z
      .string()
      .refine(isTimeZone, { error: "Choose a time zone such as Europe/Berlin." }),
  })
  .refine(({ start, end }) => start !== end, {
    error: "Start and end must differ.",
    path: ["end"],
  });

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export const quietHoursSettingSchema = z
  .object({ quiet_hours: quietHoursSchema.nullable() })
  .meta({ id: "QuietHoursSetting" });
export type QuietHoursSetting = z.infer<typeof quietHoursSettingSchema>;

/** `pass_on`: a message that was not delivered within a minute goes to the user's next channel. */
export const deliverySettingsSchema = z
  .object({ pass_on: z.boolean({ error: "Use true or false." }) })
  .meta({ id: "DeliverySettings" });
export type DeliverySettingsChoice = z.infer<typeof deliverySettingsSchema>;

const countSchema = z.number().int().nonnegative();

export const channelTotalsSchema = z
  .object({
    /** No deliveries are made until they are resumed. */
    paused: z.boolean(),
    totals: z.array(
      z.object({
        kind: channelKindSchema,
        channels: countSchema,
        enabled: countSchema,
        /** Deliveries of the last 24 hours. */
        delivered: countSchema,
        retrying: countSchema,
        failed: countSchema,
        suppressed: countSchema,
      }),
    ),
    /** Channels whose delivery is being retried, the one that fails for longest first, at most 50. */
    failing: z.array(
      z.object({
        channel_id: z.string(),
        username: z.string(),
        kind: channelKindSchema,
        label: z.string(),
        since: z.iso.datetime(),
        attempts: countSchema,
        response_status: z.number().int().nullable(),
        error: z.string().nullable(),
        next_attempt_at: z.iso.datetime().nullable(),
      }),
    ),
  })
  .meta({ id: "ChannelTotals" });
export type ChannelTotals = z.infer<typeof channelTotalsSchema>;
