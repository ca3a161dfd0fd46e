import { createHash, randomBytes } from "node:crypto";
import {
  type NewChannel,
  SINGLE_CHANNEL_KINDS,
  TELEGRAM_LINK_MINUTES,
} from "@shared/contract/channels.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { assertPublicUrl, RefusedAddressError } from "@shared/domain/public-address.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { ChannelSecrets } from "@shared/runtime/channel-secrets.ts";
import { z } from "zod";
import { unavailable } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";

export type TargetDeps = Pick<ServerDeps, "settings" | "now" | "resolveHost">;

export const secretsOf = ({ settings }: Pick<ServerDeps, "settings">): ChannelSecrets =>
  new ChannelSecrets(settings.CHANNEL_SECRET);

interface NewTarget extends Pick<ChannelRecord, "target" | "label" | "uniqueKey" | "link"> {
  /** For the response only. */
  shown: { secret?: string; link?: string };
}

/** @throws AppError channel-unavailable, email-not-verified, invalid-input, unavailable */
export function makeTarget(
  deps: TargetDeps,
  user: Pick<UserRecord, "email" | "emailVerified">,
  input: NewChannel,
): NewTarget | Promise<NewTarget> {
  switch (input.kind) {
    case "email":
      return emailTarget(deps, user);
    case "webhook":
      return webhookTarget(deps, input);
    case "web-push":
      return pushTarget(deps, input);
    case "telegram":
      return telegramTarget(deps);
  }
}

const [EMAIL, TELEGRAM] = SINGLE_CHANNEL_KINDS;

function emailTarget(
  deps: TargetDeps,
  { email, emailVerified }: Pick<UserRecord, "email" | "emailVerified">,
): NewTarget {
  if (!emailVerified) {
    throw new AppError("email-not-verified", "Verify your email address first.");
  }
  const target = secretsOf(deps).seal({ kind: "email" });
  return { target, label: email, uniqueKey: EMAIL, shown: {} };
}

async function webhookTarget(deps: TargetDeps, { url }: NewChannel): Promise<NewTarget> {
  if (url === undefined) throw invalidField("url", "Enter a URL.");
  const { host } = await assertCallable(deps, { url, field: "url" });
  const secret = newWebhookSecret();
  const target = secretsOf(deps).seal({ kind: "webhook", url, secret });
  return { target, label: host, shown: { secret } };
}

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

async function pushTarget(deps: TargetDeps, { subscription }: NewChannel): Promise<NewTarget> {
  if (!deps.settings.VAPID_PUBLIC_KEY) throw notConfigured("Web push");
  if (!subscription) {
    throw invalidField("subscription", "The browser's push subscription is missing.");
  }
  const { endpoint: url } = subscription;
  await assertCallable(deps, { url, field: "subscription.endpoint" });
  const target = secretsOf(deps).seal({ kind: "web-push", subscription });
  return { target, label: "Browser", uniqueKey: sha256(url), shown: {} };
}

async function assertCallable(
  { settings, resolveHost }: TargetDeps,
  { url, field }: { url: string; field: string },
): Promise<URL> {
  try {
    return await assertPublicUrl(url, {
      allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE === "on",
      ...(resolveHost && { resolve: resolveHost }),
    });
  } catch (error) {
    if (error instanceof RefusedAddressError) throw invalidField(field, error.message);
    throw error;
  }
}

async function telegramTarget({ settings, now }: TargetDeps): Promise<NewTarget> {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_URL: apiUrl } = settings;
  if (!token) throw notConfigured("Telegram");
  const code = randomBytes(16).toString("base64url");
  const expiresAt = new Date(now().getTime() + TELEGRAM_LINK_MINUTES * 60_000);
  return {
    ...{ target: null, label: "Telegram", uniqueKey: TELEGRAM },
    link: { codeHash: sha256(code), expiresAt },
    shown: { link: `https://t.me/${await botName(apiUrl, token)}?start=${code}` },
  };
}

const BOT_TIMEOUT_MS = 5_000;
const botSchema = z.object({ result: z.object({ username: z.string() }) });
const botNames = new Map<string, string>();

/** Asks once for each bot. @throws AppError unavailable, without the cause, whose address contains the token */
async function botName(apiUrl: string, token: string): Promise<string> {
  const url = `${apiUrl}/bot${token}/getMe`;
  const known = botNames.get(url);
  if (known) return known;
  const response = await fetch(url, { signal: AbortSignal.timeout(BOT_TIMEOUT_MS) }).catch(
    () => null,
  );
  const bot = botSchema.safeParse(await response?.json().catch(() => null)).data;
  if (!bot) throw unavailable();
  botNames.set(url, bot.result.username);
  return bot.result.username;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const invalidField = (field: string, message: string) =>
  new AppError("invalid-input", message, { errors: [{ field, message }] });

export const notConfigured = (what: string) =>
  new AppError("channel-unavailable", `${what} is not set up on this service.`);
