import { createHash, createSecretKey, randomUUID } from "node:crypto";
import { hash } from "@node-rs/argon2";
import { DAY_MS } from "@shared/contract/constants.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import type { PublishedHead } from "@shared/contract/ledger.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelRecord, DeliveryRecord } from "@shared/database/models/channel.ts";
import type { SubscriptionRecord } from "@shared/database/models/payment.ts";
import { type SessionRecord, searchKeyOf, type UserRecord } from "@shared/database/models/user.ts";
import type { WatchlistItemRecord } from "@shared/database/models/watchlist.ts";
import type { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { type Attestation, writeOtsFile } from "@shared/domain/opentimestamps.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import jwt from "jsonwebtoken";
import { type Model, Types } from "mongoose";

/** Default password of users made here. */
export const TEST_PASSWORD = "correct horse";

/** Parameters of argon2. */
export const QUICK_HASH = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** One for each password: to hash takes longer than to store. */
const hashes = new Map<string, Promise<string>>();

function quickHashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? hash(password, QUICK_HASH);
  hashes.set(password, known);
  return known;
}

type NewUser = Partial<UserRecord> & { password?: string };

/** Stores a user who can log in, without events. By default with a random name, the role `user` and no approval. */
export async function createUser(database: Database, overrides: NewUser = {}): Promise<UserRecord> {
  const user = newUser(overrides);
  await storeUsers(database, [user], overrides.password);
  return user;
}

/** As `createUser`, many at once: all with these values, or each with those of its index. */
export async function createUsers(
  database: Database,
  count: number,
  overrides: Partial<UserRecord> | ((index: number) => Partial<UserRecord>) = {},
): Promise<UserRecord[]> {
  const users = Array.from({ length: count }, (_, index) =>
    newUser(typeof overrides === "function" ? overrides(index) : overrides),
  );
  await storeUsers(database, users);
  return users;
}

/** By the driver: mongoose would look at each field, which takes longer than the write. */
export async function insertAll<Stored extends object>(
  { collection }: Pick<Model<Stored>, "collection">,
  documents: readonly Stored[],
): Promise<void> {
  if (documents.length === 0) return;
  await collection.insertMany([...documents], { ignoreUndefined: true });
}

async function storeUsers(
  { users, identities }: Database,
  stored: readonly UserRecord[],
  password = TEST_PASSWORD,
): Promise<void> {
  const passwordHash = await quickHashOf(password);
  const newIdentities = stored.map(({ identityId, emailKey, createdAt }) => ({
    _id: new Types.ObjectId(identityId),
    emailKey,
    passwordHash,
    createdAt,
  }));
  await insertAll(identities, newIdentities);
  await insertAll(users, stored);
}

function newUser({ password: _password, ...fields }: NewUser): UserRecord {
  const username = fields.username ?? `user-${randomUUID().slice(0, 8)}`;
  const email = fields.email ?? `${username}@example.com`;
  const usernameKey = username.toLowerCase();
  const emailKey = email.toLowerCase();
  return {
    _id: new Types.ObjectId(),
    username,
    usernameKey,
    emailKey,
    searchKey: searchKeyOf({ usernameKey, emailKey }),
    email,
    emailVerified: false,
    identityId: new Types.ObjectId().toString(),
    role: "user",
    approved: false,
    allowImageUpload: false,
    imageCredits: 0,
    sessions: [newSession()],
    sessionVersion: 0,
    twoFactor: null,
    pendingTwoFactor: null,
    createdAt: new Date(),
    lastEventSeq: 0,
    unfinishedSignals: 0,
    ...fields,
  };
}

/** A session that starts now. */
export const newSession = (overrides: Partial<SessionRecord> = {}): SessionRecord => ({
  id: randomUUID(),
  createdAt: new Date(),
  lastSeenAt: new Date(),
  userAgent: "Vitest",
  network: "a test network",
  ...overrides,
});

/** A token of a user's first session, or of another one of theirs. It is valid for an hour. */
export function signTokenFor(
  user: Pick<UserRecord, "_id" | "sessions">,
  settings: Pick<Settings, "JWT_SECRET">,
  options: { sessionId?: string; expiresIn?: number } = {},
): string {
  const { sessionId = user.sessions[0]?.id, expiresIn = 3_600 } = options;
  // A text would be tried as a private key first, which takes longer than the signature.
  const key = createSecretKey(settings.JWT_SECRET, "utf8");
  return jwt.sign({ sub: user._id.toString(), sid: sessionId }, key, {
    algorithm: "HS256",
    issuer: "ai-trading-signals",
    audience: "ai-trading-signals-api",
    expiresIn,
  });
}

/** Stores an item of a user's watchlist, by default an enabled one of BTC/USDT 1h that was added a day ago. */
export const newWatchlistItem = (
  { _id: userId }: Pick<UserRecord, "_id">,
  overrides: Partial<WatchlistItemRecord> = {},
): WatchlistItemRecord => ({
  _id: new Types.ObjectId(),
  userId,
  symbol: "BTC/USDT",
  timeframe: "1h",
  minConfidence: 0,
  amount: 100,
  riskPercent: 1,
  leverage: 1,
  enabled: true,
  createdAt: new Date(Date.now() - DAY_MS),
  ...overrides,
});

export async function createWatchlistItem(
  { watchlistItems }: Database,
  user: Pick<UserRecord, "_id">,
  overrides: Partial<WatchlistItemRecord> = {},
): Promise<WatchlistItemRecord> {
  const item = newWatchlistItem(user, overrides);
  await watchlistItems.insertOne(item);
  return item;
}

/** A subscription of one month whose end has been announced. Nothing is due before its access ends. */
export const subscriptionInGrace = (accessEndsAt: Date): SubscriptionRecord => ({
  plan: "pro",
  status: "grace",
  startedAt: new Date(0),
  months: 1,
  creditedMonths: 1,
  endsAt: new Date(1),
  accessEndsAt,
  remindedDays: 1,
  nextDueAt: accessEndsAt,
});

/** A calendar, and the Bitcoin block of its proof; pending without one. */
interface CalendarPart {
  url?: string;
  block?: number;
}

export async function createWitnessedHead(
  database: Database,
  { day, calendars = [] }: { day: string; calendars?: readonly CalendarPart[] },
): Promise<PublishedHead> {
  const hash = createHash("sha256").update(day).digest("hex");
  const head = { seq: 12, hash, at: `${day}T00:00:00.000Z` };
  await database.ledgerPublications.updateOne({ _id: day }, { $set: head }, { upsert: true });
  for (const { url = "https://calendar.example", block } of calendars) {
    const attestation: Attestation =
      block === undefined ? { kind: "pending", uri: url } : { kind: "bitcoin", height: block };
    const timestamp = [{ kind: "attestation" as const, attestation }];
    const receipt = {
      seq: head.seq,
      hash,
      url,
      at: new Date(`${day}T06:00:00.000Z`),
      status: block === undefined ? ("pending" as const) : ("complete" as const),
      proof: writeOtsFile({ digest: Buffer.from(hash, "hex"), timestamp }),
      ...(block !== undefined && { bitcoinBlock: block }),
    };
    await database.witnessReceipts.updateOne(
      { day, kind: "opentimestamps", name: url },
      { $set: receipt },
      { upsert: true },
    );
  }
  return { day, ...head };
}

export const TEST_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** Stores a channel that gets the user's events from now on, by default a webhook at `url`. */
export async function createChannel(
  { database, channelSecrets }: { database: Database; channelSecrets: ChannelSecrets },
  { _id: userId }: Pick<UserRecord, "_id">,
  options: string | ({ url: string } & Partial<ChannelRecord>),
): Promise<ChannelRecord> {
  const { url, ...overrides } = typeof options === "string" ? { url: options } : options;
  const user = await database.users.findById(userId).lean();
  const channel: ChannelRecord = {
    _id: new Types.ObjectId(),
    userId,
    kind: "webhook",
    label: "A receiver",
    enabled: true,
    disabledReason: null,
    minConfidence: 0,
    createdAt: new Date(),
    events: ["signal.completed", "signal.outcome", "signal.entry_left", "account.updated"],
    target: channelSecrets.seal({ kind: "webhook", url, secret: TEST_WEBHOOK_SECRET }),
    afterSeq: user?.lastEventSeq ?? 0,
    afterAdminSeq: null,
    lastOrder: 0,
    dueAt: null,
    leaseId: null,
    isWoken: false,
    isFailing: false,
    heldSince: null,
    ...overrides,
  };
  await database.channels.insertOne(channel);
  return channel;
}

/** Stores a delivery, by default of a test message that was delivered. */
export async function createDelivery(
  { channels, deliveries }: Database,
  { _id: channelId, userId }: Pick<ChannelRecord, "_id" | "userId">,
  overrides: Partial<DeliveryRecord> = {},
): Promise<DeliveryRecord> {
  const channel = await channels
    .findByIdAndUpdate(channelId, { $inc: { lastOrder: 1 } }, { returnDocument: "after" })
    .lean();
  const delivery: DeliveryRecord = {
    _id: new Types.ObjectId(),
    channelId,
    userId,
    order: channel?.lastOrder ?? 1,
    type: "channel.test",
    eventAt: new Date(),
    status: "delivered",
    isRequested: true,
    attempts: 1,
    responseStatus: 200,
    error: null,
    nextAttemptAt: null,
    createdAt: new Date(),
    ...overrides,
  };
  await deliveries.insertOne(delivery);
  return delivery;
}

/** As workers publish what the providers list: nothing but the suggestions by default. */
export const listSymbols = (
  { marketListings }: Database,
  listing: { symbols?: readonly string[]; missing?: string[] } = {},
) => {
  const { symbols = [], missing = [] } = listing;
  const all = [...PRODUCT_SYMBOLS, ...symbols];
  const stored = { symbols: all, missing, updatedAt: new Date() };
  return marketListings.replaceOne({ _id: "symbols" }, stored, { upsert: true });
};
