import type { Role, StreamPositions } from "@shared/contract/account.ts";
import type { ApiKeyScope } from "@shared/contract/api-keys.ts";
import type { Connection, Types } from "mongoose";
import type { PaymentProofRecord, SubscriptionRecord } from "./payment.ts";
import { modelOf, recordSchema } from "./record-schema.ts";

/** A sign-in of a user. */
export interface SessionRecord {
  /** A UUID, which the token of the session names. */
  id: string;
  createdAt: Date;
  /** Updated every few minutes while the session is used. */
  lastSeenAt: Date;
  userAgent: string;
  /** Hash of the network that the sign-in came from. */
  network: string;
}

/** A key of the user's own programs. */
export interface ApiKeyRecord {
  /** A UUID. */
  id: string;
  name: string;
  /** SHA-256 of the key, in hex. */
  hash: string;
  /** The first characters of the key, by which people know it. */
  prefix: string;
  scopes: ApiKeyScope[];
  createdAt: Date;
  /** Null if it never expires. */
  expiresAt: Date | null;
  /** Updated every minute while it is used. */
  lastUsedAt: Date | null;
}

/** A network from which the user has signed in. */
export interface KnownNetwork {
  /** Hash, as in a session. */
  network: string;
  signedInAt: Date;
}

/** A wrong own password of a signed-in user, or one that is being checked. */
export interface WrongPassword {
  id: string;
  at: Date;
  /** While it is being checked. */
  isOpen?: true;
}

/** A second factor: codes of an authenticator app (TOTP, RFC 6238). */
interface TwoFactorRecord {
  /** Encrypted. */
  secret: string;
  /** The time steps of the last codes that were used; no code works twice. */
  usedSteps: number[];
  /** SHA-256 in hex, one for each code that is left. */
  recoveryHashes: string[];
}

/** The last approval or revocation by an administrator, or by an automatic approval, with what undoing it restores. */
export interface AccessChange {
  at: Date;
  /** The name of the administrator, or `AUTOMATIC_APPROVER`. */
  by: string;
  before: {
    approved: boolean;
    subscription?: SubscriptionRecord;
    /** Set if the change allowed image upload, as plans do. */
    allowImageUpload?: boolean;
  };
  after: { approved: boolean; endsAt?: Date };
  /** The proof that was accepted, with its review before. */
  proof?: Pick<PaymentProofRecord, "_id" | "reviewedAt" | "rejection">;
}

/** An account. Its password is stored by the identity provider. */
export interface UserRecord {
  _id: Types.ObjectId;
  username: string;
  /** `username` in lower case: names are unique without regard to case. */
  usernameKey: string;
  email: string;
  emailKey: string;
  /** What administrators search: `searchKeyOf` the user. */
  searchKey: string;
  emailVerified: boolean;
  identityId: string;
  role: Role;
  approved: boolean;
  allowImageUpload: boolean;
  /** Blocked by an administrator during a subscription: its renewal does not allow it again. */
  isImageUploadBlocked?: boolean;
  imageCredits: number;
  /** The last one. */
  subscription?: SubscriptionRecord;
  accessChange?: AccessChange;
  /** Oldest first. Some may have expired. */
  sessions: SessionRecord[];
  /** Oldest first. Some may have expired. */
  apiKeys?: ApiKeyRecord[];
  /** Increases when all sessions end, so that a sign-in that runs meanwhile starts none. */
  sessionVersion: number;
  /** Kept when sessions end, the one used last at the end. Some may be older than they count. */
  networks?: KnownNetwork[];
  /** Oldest first. Some may be older than they count. */
  wrongPasswords?: WrongPassword[];
  /** When the owner was last notified of wrong own passwords. */
  toldOfWrongPasswordsAt?: Date;
  twoFactor: TwoFactorRecord | null;
  /** Encrypted secret of a second factor that is not confirmed yet. */
  pendingTwoFactor: string | null;
  createdAt: Date;
  lastEventSeq: number;
  /** The last event of each stream that the user has seen in their notifications. */
  seenNotifications?: StreamPositions;
  /** AI analyses that requests of the user have started on a UTC day, such as `2026-03-18`. */
  analyses?: { day: string; count: number };
  /** Increases when an item is added to the watchlist, so that additions at the same time conflict. */
  watchlistVersion?: number;
  /** Increases when a channel is added, so that additions at the same time conflict. */
  channelsVersion?: number;
  /** Times of day in a time zone, between which messages are held. */
  quietHours?: { start: string; end: string; timeZone: string };
  /** Messages of events from then on go to another channel if they are not delivered in time. Absent if it is off. */
  passesOnSince?: Date;
  /** Problems of channels up to then have been seen. */
  channelProblemsSeenAt?: Date;
  /** The monthly email about the followed account. Kept when it is turned off. */
  resultsEmail?: {
    isOn: boolean;
    startBalance: number;
    riskPercent: number;
    /** The last month that needs no email any more, such as `2026-10`. */
    lastMonth: string;
  };
  /** Queued and running signals; changed in the transaction that changes a signal's status. */
  unfinishedSignals: number;
}

/** Numbers of a user that the outbox changes and reads together with the position of their stream. */
export const USER_COUNTERS = ["unfinishedSignals"] as const;
export type UserCounter = (typeof USER_COUNTERS)[number];
export type UserCounts = Pick<UserRecord, UserCounter>;
export const ZERO_COUNTS: UserCounts = { unfinishedSignals: 0 };

/** Username and address in one text, because an index is searched for one expression only. */
export const searchKeyOf = ({
  usernameKey,
  emailKey,
}: Pick<UserRecord, "usernameKey" | "emailKey">) => `${usernameKey}\n${emailKey}`;

/** Contains what a search compares, so that it reads the documents of the found users only. */
export const USER_LIST_INDEX = { createdAt: -1, _id: -1, approved: 1, searchKey: 1 } as const;

export const USER_APPROVAL_INDEX = { approved: 1, createdAt: -1, _id: -1 } as const;

const userSchema = recordSchema<UserRecord>("users");
userSchema.index({ usernameKey: 1 }, { unique: true });
userSchema.index({ emailKey: 1 }, { unique: true });
userSchema.index({ identityId: 1 }, { unique: true });
userSchema.index(USER_LIST_INDEX);
userSchema.index(USER_APPROVAL_INDEX);
userSchema.index({ "analyses.day": 1, "analyses.count": -1 }, { sparse: true });
userSchema.index(
  { unfinishedSignals: 1 },
  { partialFilterExpression: { unfinishedSignals: { $gt: 0 } } },
);

userSchema.index(
  { "resultsEmail.lastMonth": 1 },
  { partialFilterExpression: { "resultsEmail.isOn": true } },
);

userSchema.index({ "subscription.nextDueAt": 1 }, { sparse: true });
userSchema.index({ "subscription.accessEndsAt": 1 }, { sparse: true });

export const userModels = (connection: Connection) => ({
  users: modelOf(connection, userSchema),
});
