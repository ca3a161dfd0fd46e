import { createHash, randomBytes } from "node:crypto";
import { hash, type Options, verify } from "@node-rs/argon2";
import { HOUR_MS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { MailTokenKind, MailTokenRecord } from "@shared/database/models/identity.ts";
import { readBrand } from "@shared/domain/branding.ts";
import type { Mailer } from "@shared/runtime/mailer.ts";
import { Semaphore, withTimeout } from "async-mutex";
import { type ClientSession, Types } from "mongoose";
import { duplicateField } from "../../../http/database-errors.ts";
import { emailTaken, invalidToken, unavailable, wrongPassword } from "../../../http/errors.ts";
import { passwordResetEmail, verificationEmail } from "../account-emails.ts";
import {
  type Account,
  type Credentials,
  formsOfPassword,
  type IdentityProvider,
  type PasswordAttempt,
  type PasswordChange,
  type PasswordReset,
  type PreparedAccount,
  type PreparedChange,
  type ResetRecipient,
  type VerifiedAccount,
} from "./identity-provider.ts";

/** argon2id with the parameters of the OWASP Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane. */
const ARGON2ID: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface PasswordHashing {
  hash(password: string | Buffer): Promise<string>;
  verify(stored: string, password: string): Promise<boolean>;
}

/**
 * Hashing runs in the threads that also read files and resolve names, and each takes 19 MiB. Of a flood of sign-ins, those
 * that wait longer than `maxWaitMs` are answered with 503.
 */
export function hashInTurns(maxWaitMs: number): PasswordHashing {
  const queue = withTimeout(new Semaphore(2), maxWaitMs, unavailable());
  return {
    hash: (password) => queue.runExclusive(() => hash(password, ARGON2ID)),
    verify: (stored, password) => queue.runExclusive(() => verify(stored, password)),
  };
}

export const argon2id = hashInTurns(2_000);

/** Built-in accounts are never changed elsewhere. */
const UNCHANGED: VerifiedAccount = {
  emailConfirmed: false,
  passwordChanged: false,
  acknowledge: () => Promise.resolve(false),
};

/** Stores passwords as argon2id hashes in the product's own database, and sends its own emails. */
export class BuiltinIdentity implements IdentityProvider {
  readonly #database: Database;
  readonly #mailer: Pick<Mailer, "send">;
  readonly #webUrl: string;
  readonly #now: () => Date;
  readonly #tokens: MailTokens;
  readonly #hashing: PasswordHashing;
  /** Compared with the password if there is no account. */
  readonly #decoyHash: Promise<string>;

  /** @param options `webUrl` is the origin of the pages that emails link to */
  constructor(options: {
    database: Database;
    mailer: Pick<Mailer, "send">;
    webUrl: string;
    now: () => Date;
    hashing?: PasswordHashing | undefined;
  }) {
    this.#database = options.database;
    this.#mailer = options.mailer;
    this.#webUrl = options.webUrl;
    this.#now = options.now;
    this.#tokens = new MailTokens(options);
    this.#hashing = options.hashing ?? argon2id;
    this.#decoyHash = this.#hashing.hash(randomBytes(32));
  }

  async prepareAccount({ email, password }: Credentials): Promise<PreparedAccount> {
    const identity = {
      _id: new Types.ObjectId(),
      emailKey: email.toLowerCase(),
      passwordHash: await this.#hashing.hash(password.normalize("NFKC")),
      createdAt: this.#now(),
    };
    const identityId = identity._id.toString();
    let issued: IssuedToken | undefined;
    return {
      identityId,
      sendVerification: async (username) => {
        issued = this.#tokens.issue("verification", identityId);
        await this.#mailVerification({ email, username }, issued.token);
      },
      store: async (session) => {
        try {
          await this.#database.identities.insertOne(identity, { session });
        } catch (error) {
          throw duplicateField(error) === "emailKey" ? emailTaken(error) : error;
        }
        if (issued) await this.#tokens.store(issued, session);
      },
      discard: () => Promise.resolve(),
    };
  }

  async verifyPassword(attempt: Omit<PasswordAttempt, "email">): Promise<VerifiedAccount | null> {
    return (await this.#matchingHash(attempt)) === null ? null : UNCHANGED;
  }

  async verifyNothing(password: string): Promise<void> {
    await this.verifyPassword({ identityId: new Types.ObjectId().toString(), password });
  }

  async prepareChange(attempt: Omit<PasswordChange, "email">): Promise<PreparedChange | null> {
    const { identityId, currentPassword, newPassword } = attempt;
    const oldHash = await this.#matchingHash({ identityId, password: currentPassword });
    if (oldHash === null) return null;
    const passwordHash = await this.#hashing.hash(newPassword);
    return {
      identityId,
      store: async (session) => {
        const changed = await this.#database.identities.updateOne(
          { _id: identityId, passwordHash: oldHash },
          { $set: { passwordHash } },
          { session },
        );
        if (changed.matchedCount === 0) throw wrongPassword();
        await this.#tokens.revoke({ identityId, kinds: ["reset"] }, session);
      },
    };
  }

  async sendPasswordReset({ email: to, user }: ResetRecipient): Promise<void> {
    if (!user) return;
    const issued = this.#tokens.issue("reset", user.identityId);
    await this.#tokens.store(issued);
    const link = this.#link("/reset-password", issued.token);
    const brand = await readBrand(this.#database);
    await this.#mailer.send(passwordResetEmail({ to, username: user.username, link }, brand));
  }

  async prepareReset({ token, newPassword, check }: PasswordReset): Promise<PreparedChange> {
    const record = await this.#tokens.find("reset", token);
    const { identityId } = record;
    await check(identityId);
    const passwordHash = await this.#hashing.hash(newPassword);
    return {
      identityId,
      store: async (session) => {
        await this.#tokens.redeem(record, session);
        await this.#database.identities.updateOne(
          { _id: identityId },
          { $set: { passwordHash } },
          { session },
        );
      },
    };
  }

  async sendVerification(account: Account & { username: string }): Promise<"sent"> {
    const issued = this.#tokens.issue("verification", account.identityId);
    await this.#tokens.store(issued);
    await this.#mailVerification(account, issued.token);
    return "sent";
  }

  async prepareConfirmation(token: string): Promise<PreparedChange> {
    const record = await this.#tokens.find("verification", token);
    return {
      identityId: record.identityId,
      store: (session) => this.#tokens.redeem(record, session),
    };
  }

  async findInvited(token: string): Promise<string> {
    return (await this.#tokens.find("verification", token)).identityId;
  }

  async deleteAccount(account: { identityId: string; session?: ClientSession }): Promise<void> {
    const { identityId, session } = account;
    await this.#database.identities.deleteOne({ _id: identityId }, { session });
    await this.#tokens.revoke({ identityId, kinds: ["verification", "reset"] }, session);
  }

  /** The stored hash if the password matches. Takes as long without an account as with one. */
  async #matchingHash(attempt: Omit<PasswordAttempt, "email">): Promise<string | null> {
    const identity = await this.#database.identities.findById(attempt.identityId).lean();
    const stored = identity?.passwordHash ?? (await this.#decoyHash);
    for (const password of formsOfPassword(attempt.password)) {
      if ((await this.#hashing.verify(stored, password)) && identity) return stored;
    }
    return null;
  }

  async #mailVerification(to: { email: string; username: string }, token: string): Promise<void> {
    const link = this.#link("/verify-email", token);
    const brand = await readBrand(this.#database);
    const invitation = { to: to.email, username: to.username, link };
    await this.#mailer.send(verificationEmail(invitation, brand));
  }

  #link(path: string, token: string): string {
    const url = new URL(path, this.#webUrl);
    url.searchParams.set("token", token);
    return url.href;
  }
}

const TOKEN_BYTES = 32;

const LIFETIME_MS: Record<MailTokenKind, number> = { verification: 24 * HOUR_MS, reset: HOUR_MS };

interface IssuedToken {
  token: string;
  record: MailTokenRecord;
}

/** The tokens in links of emails. Each works once, and only the latest of each kind works. Only hashes are stored. */
class MailTokens {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(options: { database: Database; now: () => Date }) {
    this.#database = options.database;
    this.#now = options.now;
  }

  /** Creates a token, which is valid after `store`. */
  issue(kind: MailTokenKind, identityId: string): IssuedToken {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    return {
      token,
      record: {
        _id: recordId(kind, identityId),
        kind,
        identityId,
        tokenHash: hashOf(token),
        expiresAt: new Date(this.#now().getTime() + LIFETIME_MS[kind]),
      },
    };
  }

  /** Replaces earlier tokens of the same kind. */
  async store({ record }: IssuedToken, session?: ClientSession): Promise<void> {
    const { _id, ...fields } = record;
    await this.#database.mailTokens.updateOne({ _id }, { $set: fields }, { upsert: true, session });
  }

  /** @throws AppError invalid-token */
  async find(kind: MailTokenKind, token: string): Promise<MailTokenRecord> {
    const record = await this.#database.mailTokens
      .findOne({ tokenHash: hashOf(token), kind, expiresAt: { $gt: this.#now() } })
      .lean();
    if (!record) throw invalidToken();
    return record;
  }

  /** Uses up a token. Of several concurrent attempts, one succeeds. @throws AppError invalid-token */
  async redeem({ kind, tokenHash }: MailTokenRecord, session: ClientSession): Promise<void> {
    const redeemed = await this.#database.mailTokens.findOneAndDelete(
      { tokenHash, kind, expiresAt: { $gt: this.#now() } },
      { session },
    );
    if (!redeemed) throw invalidToken();
  }

  async revoke(
    account: { identityId: string; kinds: readonly MailTokenKind[] },
    session?: ClientSession,
  ): Promise<void> {
    const ids = account.kinds.map((kind) => recordId(kind, account.identityId));
    await this.#database.mailTokens.deleteMany({ _id: { $in: ids } }, { session });
  }
}

function recordId(kind: MailTokenKind, identityId: string): string {
  return `${kind}:${identityId}`;
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
