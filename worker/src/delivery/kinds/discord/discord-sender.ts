import { discord } from "@shared/contract/channel-kinds/discord.ts";
import { readBrand } from "@shared/domain/branding.ts";
import { z } from "zod";
import type { ChannelSender, KindDeps, SendResult } from "../../channel-sender.ts";
import { describeMessage, readNamedSignals } from "../../describe-message.ts";
import { JSON_HEADERS, type PublicResponse, postPublicly } from "../../post-publicly.ts";
import { discordMessage } from "./discord-message.ts";

interface DiscordDeps extends Pick<KindDeps, "database" | "policy"> {
  settings: Pick<KindDeps["settings"], "CLIENT_ORIGIN">;
}

/** Posts messages to Discord, by the webhooks that users have made there. */
export const startDiscord = ({ database, policy, settings }: DiscordDeps): ChannelSender => ({
  async send(message, abort) {
    const url = new URL(discord.target.parse(message.target).url);
    // Otherwise, Discord reports success before it has kept the message.
    url.searchParams.set("wait", "true");
    const signals = await readNamedSignals(database, message);
    const [origin = ""] = settings.CLIENT_ORIGIN;
    const described = describeMessage(message, signals, await readBrand(database));
    const body = JSON.stringify(discordMessage(described, origin));
    return postPublicly({ url: url.href, headers: JSON_HEADERS, body }, policy, abort, resultOf);
  },
});

/** Of an error of Discord. A proxy before it may answer otherwise. */
const errorSchema = z.object({
  code: z.number().int().optional().catch(undefined),
  /** Seconds, with decimals. */
  retry_after: z.number().nonnegative().optional().catch(undefined),
});

const NOT_FOUND = 404;
const UNKNOWN_WEBHOOK = 10_015;
const INVALID_TOKEN = 50_027;
const FORUM_NEEDS_THREAD = 220_001;

function resultOf({ status, headers, body }: PublicResponse): SendResult {
  if (status >= 200 && status < 300) {
    return { outcome: "delivered", responseStatus: status, error: null };
  }
  const { code, retry_after: seconds = headerSeconds(headers["retry-after"]) } =
    errorSchema.safeParse(jsonOf(body)).data ?? {};
  const isGone = status === NOT_FOUND || code === INVALID_TOKEN;
  return {
    outcome: isGone ? "gone" : "retry",
    responseStatus: status,
    error: reasonOf(status, code),
    ...(seconds !== undefined && { retryAfterMs: Math.ceil(seconds * 1_000) }),
  };
}

function reasonOf(status: number, code: number | undefined): string {
  switch (code) {
    case UNKNOWN_WEBHOOK:
      return "The webhook was deleted in Discord.";
    case INVALID_TOKEN:
      return "The webhook has another token in Discord now.";
    case FORUM_NEEDS_THREAD:
      return "The webhook belongs to a forum: add ?thread_id= and the id of a thread to its URL.";
    case undefined:
      return `Discord answered with ${status}.`;
    default:
      return `Discord answered with ${status} (code ${code}).`;
  }
}

const headerSeconds = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
