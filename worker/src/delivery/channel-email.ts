import {
  type ChannelEvent,
  type ChannelSummary,
  channelEventSchema,
  summarySchema,
} from "@shared/contract/channels.ts";
import { composeEmail, formatTime } from "@shared/runtime/compose-email.ts";
import type { Mail } from "@shared/runtime/mailer.ts";
import type { ChannelMessage } from "./channel-sender.ts";
import { describeEvent, type EventSignal, type EventText, signalIdOf } from "./describe-event.ts";

interface EmailContext {
  webUrl: string;
  /** Token of the links that turn the channel off. */
  token: string;
  /** Those of `signalIdsOf` that are not deleted, by id. */
  signals: ReadonlyMap<string, EventSignal>;
}

type EmailMessage = Pick<ChannelMessage, "type" | "data" | "user">;

/** The email of a channel message. */
export function channelEmail(message: EmailMessage, context: EmailContext): Mail {
  const { username, email: to } = message.user;
  const { path, ...content } = describe(message, context);
  const page = (address: string) => new URL(address, context.webUrl).href;
  return composeEmail(
    { to, username, link: page(path) },
    {
      ...content,
      note: noteOf(message),
      other: {
        label: "Turn these emails off",
        link: page(`/unsubscribe?token=${context.token}`),
      },
    },
  );
}

/** Ids of the signals that a message is about without containing them. */
export function signalIdsOf({ type, data }: EmailMessage): string[] {
  const all = type === "channel.summary" ? summarySchema.parse(data).messages : [{ type, data }];
  return all.flatMap((item) =>
    item.type === "signal.completed" ? [] : (signalIdOf(item.data) ?? []),
  );
}

function describe({ type, data }: EmailMessage, { webUrl, signals }: EmailContext): EventText {
  if (type === "channel.test") {
    return {
      subject: "Test message",
      request: "this is a test message. Emails of your channel reach you.",
      ...{ path: "/user-panel", button: "Open your account" },
    };
  }
  const describeOne = (event: ChannelEvent, about: unknown) =>
    describeEvent(event, about, (id) => signals.get(id));
  if (type !== "channel.summary") return describeOne(type, data);
  const summary = summarySchema.parse(data);
  const points = summary.messages.map((message) => {
    const { subject: text, path } = describeOne(
      channelEventSchema.parse(message.type),
      message.data,
    );
    return { text, link: new URL(path, webUrl).href };
  });
  return { ...describeSummary(summary), points };
}

function describeSummary({
  from,
  to,
  counts,
  messages,
}: ChannelSummary): Omit<EventText, "points"> {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const what = total === 1 ? "1 message" : `${total} messages`;
  const left = total - messages.length;
  const period = `from ${formatTime(new Date(from))} to ${formatTime(new Date(to))}`;
  const rest = left > 0 ? ` Not listed: ${left} that came too late to act upon, or are older.` : "";
  return {
    subject: `${what} of your quiet hours`,
    request: `this is what happened in your quiet hours, ${period}.${rest}`,
    ...{ path: "/dashboard", button: "Open your dashboard" },
  };
}

const noteOf = ({ type }: EmailMessage): string =>
  type.startsWith("signal.") || type === "channel.summary"
    ? "Signals are not financial advice. You can lose money."
    : "You get this email because you have added an email channel to your account.";
