import { createHash, randomBytes } from "node:crypto";
import type { Database } from "@shared/node/database.ts";
import type { MailTokenKind, MailTokenRecord } from "@shared/node/models/mail-token.ts";
import type { ClientSession } from "mongoose";
import { invalidToken } from "../errors.ts";

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;

/** How long the link of a mail works. */
const LIFETIME_MS: Record<MailTokenKind, number> = { verification: 24 * HOUR_MS, reset: HOUR_MS };

/** A new token, for the mail, and the record that stands for it. */
export interface IssuedToken {
  token: string;
  record: MailTokenRecord;
}

/**
 * The tokens in the links of mails. Each works once; of each kind an account has one at most, the latest. Only
 * hashes are stored: who reads the database can use none of them.
 */
export class MailTokens {
  readonly #database: Pick<Database, "mailTokens">;
  readonly #now: () => Date;

  constructor(options: { database: Pick<Database, "mailTokens">; now: () => Date }) {
    this.#database = options.database;
    this.#now = options.now;
  }

  /** Makes a token, which is good from `store` on. */
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

  /** Makes a token good, and voids the earlier ones of its kind. */
  async store({ record }: IssuedToken, session?: ClientSession): Promise<void> {
    const { _id, ...fields } = record;
    await this.#database.mailTokens.updateOne({ _id }, { $set: fields }, { upsert: true, session });
  }

  /**
   * The record of a token that is good at this moment.
   * @throws AppError invalid-token
   */
  async find(kind: MailTokenKind, token: string): Promise<MailTokenRecord> {
    const record = await this.#database.mailTokens
      .findOne({ tokenHash: hashOf(token), kind, expiresAt: { $gt: this.#now() } })
      .lean();
    if (!record) throw invalidToken();
    return record;
  }

  /**
   * Uses a token up. Of several that try at once, one succeeds.
   * @throws AppError invalid-token
   */
  async redeem({ kind, tokenHash }: MailTokenRecord, session: ClientSession): Promise<void> {
    const redeemed = await this.#database.mailTokens.findOneAndDelete(
      { tokenHash, kind, expiresAt: { $gt: this.#now() } },
      { session },
    );
    if (!redeemed) throw invalidToken();
  }

  /** Voids the tokens of these kinds that an account has. */
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
