import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Database } from "@shared/database/database.ts";
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

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM and a key that HKDF derives from the server's secret. */
export class SecretBox {
  readonly #key: Buffer;

  /** @param options a box cannot open what one with another `purpose` has sealed */
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

  /** Returns null if the text was sealed with another secret or changed. */
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
