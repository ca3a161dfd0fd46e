import type { Database } from "@shared/database/database.ts";
import { SecretBox } from "@shared/runtime/secret-box.ts";
import type { ClientSession } from "mongoose";

/** A Firebase account with its decrypted refresh token. */
export interface KnownAccount {
  identityId: string;
  email: string;
  refreshToken: string;
  /** Unix milliseconds. */
  passwordUpdatedAt: number;
}

/** The product's records of Firebase accounts. A refresh token gives full access to an account, so it is encrypted. */
export class FirebaseAccounts {
  readonly #models: Pick<Database, "firebaseAccounts">;
  readonly #box: SecretBox;

  constructor(options: { database: Pick<Database, "firebaseAccounts">; secret: string }) {
    this.#models = options.database;
    this.#box = new SecretBox({ secret: options.secret, purpose: "firebase refresh tokens" });
  }

  /** `refreshToken` is null if it was encrypted with another secret. */
  async find(
    identityId: string,
  ): Promise<{ refreshToken: string | null; passwordUpdatedAt: number } | null> {
    const record = await this.#models.firebaseAccounts.findById(identityId).lean();
    if (!record) return null;
    const { refreshToken, passwordUpdatedAt } = record;
    return { refreshToken: this.#box.open(refreshToken), passwordUpdatedAt };
  }

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

  /** Saves unless a password change as recent as this one is already known. Returns whether it did. */
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
