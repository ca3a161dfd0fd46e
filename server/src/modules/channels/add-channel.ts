import { createHash, randomBytes } from "node:crypto";
import {
  ADMIN_CHANNEL_EVENTS,
  type ChannelEvent,
  type CreatedChannel,
  DEFAULT_CHANNEL_EVENTS,
  MAX_CHANNELS,
  type NewChannel,
  SINGLE_CHANNEL_KINDS,
  TELEGRAM_LINK_MINUTES,
} from "@shared/contract/channels.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { assertPublicUrl, RefusedAddressError } from "@shared/domain/public-address.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { Types } from "mongoose";
import { z } from "zod";
import { unauthenticated, unavailable } from "../../http/errors.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { notifyOfNewChannel } from "../accounts/account-emails.ts";
import { presentChannel } from "./present-channels.ts";

/** Adds a channel, to which events from now on are sent. */
export async function addChannel(
  deps: ServerDeps,
  { user, sessionId }: Pick<AuthenticatedSession, "user" | "sessionId">,
  input: NewChannel,
): Promise<CreatedChannel> {
  const { database, now } = deps;
  const { _id: userId } = user;
  const events = input.events ?? defaultEvents(user);
  assertOwnEvents(user, events);
  const { shown, ...made } = await makeTarget(deps, user, input);
  const { kind, label = made.label, min_confidence: minConfidence } = input;
  const channel = await commit(database, { lockKeys: userStream(userId), now }, async (uow) => {
    const lastEventSeq = await lockUser(deps, uow, { userId, sessionId });
    await assertFreePlace(deps, uow, { userId, ...made });
    const added: ChannelRecord = {
      _id: new Types.ObjectId(),
      userId,
      kind,
      ...made,
      label,
      events,
      minConfidence,
      enabled: made.target !== null,
      disabledReason: null,
      createdAt: uow.at,
      afterSeq: lastEventSeq,
      afterAdminSeq: await adminHead(deps, uow, user),
      lastOrder: 0,
      dueAt: null,
      leaseId: null,
      isWoken: false,
      isFailing: false,
      heldSince: null,
    };
    uow.deferInsert(database.channels.collection, added);
    return added;
  });
  notifyOfNewChannel(deps, user, { kind, ...(kind === "webhook" && { host: made.label }) });
  return { ...presentChannel(channel, null), ...shown };
}

const defaultEvents = ({ role }: Pick<UserRecord, "role">): ChannelEvent[] => [
  ...DEFAULT_CHANNEL_EVENTS,
  ...(role === "admin" ? ADMIN_CHANNEL_EVENTS : []),
];

export function assertOwnEvents(
  { role }: Pick<UserRecord, "role">,
  events: readonly ChannelEvent[],
): void {
  const foreign = ADMIN_CHANNEL_EVENTS.find((event) => events.includes(event));
  if (role === "admin" || !foreign) return;
  const message = `Only administrators get ${foreign}.`;
  throw new AppError("invalid-input", message, { errors: [{ field: "events", message }] });
}

/**
 * Two additions at the same time conflict, and the later one sees the channel of the other. So does a change of the password:
 * a session that it ends can turn nothing on any more.
 * @returns the last event
 */
export async function lockUser(
  { database }: Pick<ServerDeps, "database">,
  { session }: UnitOfWork,
  { userId, sessionId }: { userId: Types.ObjectId; sessionId: string },
): Promise<number> {
  const user = await database.users
    .findOneAndUpdate(
      { _id: userId, "sessions.id": sessionId },
      { $inc: { channelsVersion: 1 } },
      { session, returnDocument: "after", projection: { lastEventSeq: 1 } },
    )
    .lean();
  if (!user) throw unauthenticated();
  return user.lastEventSeq;
}

/** The last event of the administrators' stream; null for who does not read it. */
export async function adminHead(
  { database, settings }: Pick<ServerDeps, "database" | "settings">,
  { session }: UnitOfWork,
  user: Pick<UserRecord, "role" | "twoFactor">,
): Promise<number | null> {
  if (!readsAdminEvents(settings, user)) return null;
  const head = await database.streamHeads.findById(ADMINS_STREAM).session(session).lean();
  return head?.seq ?? 0;
}

async function assertFreePlace(
  { database }: Pick<ServerDeps, "database">,
  { session, at }: UnitOfWork,
  { userId, uniqueKey }: Pick<ChannelRecord, "userId" | "uniqueKey">,
): Promise<void> {
  // A Telegram link that was not opened in time gives way to a new one, as does a channel whose chat was moved.
  const isOpen = { "link.expiresAt": { $gt: at } };
  await database.channels.deleteOne({ userId, target: null, $nor: [isOpen] }, { session });
  if (uniqueKey && (await database.channels.exists({ userId, uniqueKey }).session(session))) {
    throw new AppError("already-exists", "You have this channel already.");
  }
  if ((await database.channels.countDocuments({ userId }, { session })) < MAX_CHANNELS) return;
  throw new AppError("too-many-channels", `You can have ${MAX_CHANNELS} channels.`);
}

export const secretsOf = ({ settings }: ServerDeps): ChannelSecrets =>
  new ChannelSecrets(settings.CHANNEL_SECRET);

interface NewTarget extends Pick<ChannelRecord, "target" | "label" | "uniqueKey" | "link"> {
  /** For the response only. */
  shown: { secret?: string; link?: string };
}

function makeTarget(
  deps: ServerDeps,
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
  deps: ServerDeps,
  { email, emailVerified }: Pick<UserRecord, "email" | "emailVerified">,
): NewTarget {
  if (!emailVerified) {
    throw new AppError("email-not-verified", "Verify your email address first.");
  }
  const target = secretsOf(deps).seal({ kind: "email" });
  return { target, label: email, uniqueKey: EMAIL, shown: {} };
}

async function webhookTarget(deps: ServerDeps, { url }: NewChannel): Promise<NewTarget> {
  if (url === undefined) throw invalidField("url", "Enter a URL.");
  const { host } = await assertCallable(deps, { url, field: "url" });
  const secret = newWebhookSecret();
  const target = secretsOf(deps).seal({ kind: "webhook", url, secret });
  return { target, label: host, shown: { secret } };
}

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

async function pushTarget(deps: ServerDeps, { subscription }: NewChannel): Promise<NewTarget> {
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
  { settings, resolveHost }: ServerDeps,
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

async function telegramTarget({ settings, now }: ServerDeps): Promise<NewTarget> {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_URL: apiUrl } = settings;
  if (!token) throw notConfigured("Telegram");
  const code = randomBytes(16).toString("base64url");
  const expiresAt = new Date(now().getTime() + TELEGRAM_LINK_MINUTES * 60_000);
  return {
    target: null,
    label: "Telegram",
    uniqueKey: TELEGRAM,
    link: { codeHash: sha256(code), expiresAt },
    shown: { link: `https://t.me/${await botName(apiUrl, token)}?start=${code}` },
  };
}

const BOT_TIMEOUT_MS = 5_000;
const botSchema = z.object({ result: z.object({ username: z.string() }) });
const botNames = new Map<string, string>();

/** Asks once for each bot. The error has no cause, whose address contains the token. */
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
