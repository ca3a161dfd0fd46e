import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Database } from "@shared/database/database.ts";
import type { ClientSession } from "mongoose";

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

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts secrets that have to be kept (AES-256-GCM), with a key of its own made from the server's secret by HKDF. */
export class SecretBox {
  readonly #key: Buffer;

  /** @param options `purpose` keeps boxes of one secret apart: one cannot open what another has sealed */
  constructor(options: { secret: string; purpose: string }) {
    const { secret, purpose } = options;
    this.#key = Buffer.from(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));
  }

  seal(text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** What was sealed, or null if that was under another secret or has been tampered with. */
  open(sealed: string): string | null {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < IV_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }
}
