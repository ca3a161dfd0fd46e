import { randomBytes } from "node:crypto";
import { hash, type Options, verify } from "@node-rs/argon2";
import type { Database } from "@shared/node/database.ts";
import { type ClientSession, Types } from "mongoose";
import { duplicateField } from "../database-errors.ts";
import { emailTaken } from "../errors.ts";
import type { Credentials, IdentityProvider, PreparedAccount } from "./identity-provider.ts";

/** argon2id with the parameters of the OWASP Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane. */
const ARGON2ID: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Keeps the passwords itself, as argon2id hashes in the product's own database. */
export class BuiltinIdentity implements IdentityProvider {
  readonly #database: Pick<Database, "identities">;
  readonly #now: () => Date;
  /** What a password is compared with when there is no account to compare it with. */
  readonly #decoyHash: Promise<string>;

  constructor(options: { database: Pick<Database, "identities">; now: () => Date }) {
    this.#database = options.database;
    this.#now = options.now;
    this.#decoyHash = hash(randomBytes(32), ARGON2ID);
  }

  async prepareAccount({ email, password }: Credentials): Promise<PreparedAccount> {
    const identity = {
      _id: new Types.ObjectId(),
      emailKey: email.toLowerCase(),
      passwordHash: await hash(password, ARGON2ID),
      createdAt: this.#now(),
    };
    return {
      identityId: identity._id.toString(),
      store: async (session) => {
        try {
          await this.#database.identities.insertOne(identity, { session });
        } catch (error) {
          throw duplicateField(error) === "emailKey" ? emailTaken(error) : error;
        }
      },
      discard: () => Promise.resolve(),
    };
  }

  async verifyPassword(attempt: { identityId: string; password: string }): Promise<boolean> {
    const identity = await this.#database.identities.findById(attempt.identityId).lean();
    const matches = await verify(
      identity?.passwordHash ?? (await this.#decoyHash),
      attempt.password,
    );
    return identity !== null && matches;
  }

  async verifyNothing(password: string): Promise<void> {
    await this.verifyPassword({ identityId: new Types.ObjectId().toString(), password });
  }

  async deleteAccount(account: { identityId: string; session?: ClientSession }): Promise<void> {
    const { identityId, session } = account;
    await this.#database.identities.deleteOne({ _id: identityId }, { session });
  }
}
