import type { Database } from "@shared/node/database.ts";
import type { ClientSession } from "mongoose";
import { SecretBox } from "./secret-box.ts";

/** What is known of one account at Firebase, its refresh token readable. */
export interface KnownAccount {
  identityId: string;
  email: string;
  refreshToken: string;
  /** Milliseconds since 1970. */
  passwordUpdatedAt: number;
}

/**
 * What the product keeps of its users' accounts at Firebase. A refresh token is as good as a signed-in browser of
 * the user's, so it is stored encrypted.
 */
export class FirebaseAccounts {
  readonly #models: Pick<Database, "firebaseAccounts">;
  readonly #box: SecretBox;

  constructor(options: { database: Pick<Database, "firebaseAccounts">; secret: string }) {
    this.#models = options.database;
    this.#box = new SecretBox({ secret: options.secret, purpose: "firebase refresh tokens" });
  }

  /** The account's record; its `refreshToken` is null if it was stored under another secret. */
  async find(
    identityId: string,
  ): Promise<{ refreshToken: string | null; passwordUpdatedAt: number } | null> {
    const record = await this.#models.firebaseAccounts.findById(identityId).lean();
    if (!record) return null;
    const { refreshToken, passwordUpdatedAt } = record;
    return { refreshToken: this.#box.open(refreshToken), passwordUpdatedAt };
  }

  /** Id of the account that a user has under this address. */
  async findIdByEmail(email: string): Promise<string | null> {
    const emailKey = email.toLowerCase();
    const record = await this.#models.firebaseAccounts.findOne({ emailKey }).lean();
    return record?._id ?? null;
  }

  async save(account: KnownAccount, session?: ClientSession): Promise<void> {
    await this.#models.firebaseAccounts.updateOne(
      { _id: account.identityId },
      { $set: this.#fields(account) },
      { upsert: true, session },
    );
  }

  /** Saves only if nobody has heard of a password as new as this one; whether it did. */
  async saveNewer(account: KnownAccount, session: ClientSession): Promise<boolean> {
    const { identityId, passwordUpdatedAt } = account;
    const saved = await this.#models.firebaseAccounts.updateOne(
      { _id: identityId, passwordUpdatedAt: { $lt: passwordUpdatedAt } },
      { $set: this.#fields(account) },
      { session },
    );
    return saved.matchedCount > 0;
  }

  async remove(identityId: string, session?: ClientSession): Promise<void> {
    await this.#models.firebaseAccounts.deleteOne({ _id: identityId }, { session });
  }

  #fields({ email, refreshToken, passwordUpdatedAt }: KnownAccount) {
    return {
      emailKey: email.toLowerCase(),
      refreshToken: this.#box.seal(refreshToken),
      passwordUpdatedAt,
    };
  }
}
