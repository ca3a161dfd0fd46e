import { randomUUID } from "node:crypto";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { SecretBox } from "@shared/runtime/secret-box.ts";
import type { ClientSession } from "mongoose";
import { invalidToken, unauthenticated } from "../../../http/errors.ts";
import {
  type FirebaseClient,
  FirebaseError,
  type FirebaseSession,
  isFirebaseError,
} from "./firebase-client.ts";
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
  type VerifiedAccount,
} from "./identity-provider.ts";

interface KnownAccount {
  identityId: string;
  email: string;
  refreshToken: string;
  /** Unix milliseconds. */
  passwordUpdatedAt: number;
}

/** The product's records of Firebase accounts. A refresh token gives full access to an account, so it is encrypted. */
class FirebaseAccounts {
  readonly #models: Database;
  readonly #box: SecretBox;

  constructor(options: { database: Database; secret: string }) {
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

/** Rejections if the account is deleted or disabled, or its password has changed. */
const ENDED = new Set<string>(["unauthenticated", "invalid-credentials"]);

interface SignedIn extends KnownAccount {
  emailVerified: boolean;
}

/**
 * Leaves passwords, emails and links to Firebase Authentication. An API key alone may only act for a signed-in user, so
 * their refresh token is stored to send verification emails and delete the account later.
 *
 * Firebase has no transactions. If it was changed and the database failed, or it was changed elsewhere, the next sign-in
 * applies the difference.
 */
export class FirebaseIdentity implements IdentityProvider {
  readonly #client: FirebaseClient;
  readonly #accounts: FirebaseAccounts;
  readonly #logger: Logger;

  /** @param options `secret` encrypts the refresh tokens */
  constructor(options: {
    client: FirebaseClient;
    database: Database;
    secret: string;
    logger: Logger;
  }) {
    this.#client = options.client;
    this.#accounts = new FirebaseAccounts(options);
    this.#logger = options.logger;
  }

  /** If even `discard` fails, the account stays at Firebase, and a later registration with its password adopts it. */
  async prepareAccount(credentials: Credentials): Promise<PreparedAccount> {
    const { session, isNew } = await this.#signUpOrAdopt(credentials);
    const discard = async () => {
      if (isNew) await this.#undoSignUp(session);
    };
    try {
      const account = await this.#describe(session, credentials.email);
      return {
        identityId: session.localId,
        sendVerification: () => this.#client.sendVerification(session.idToken),
        store: (dbSession) => this.#accounts.save(account, dbSession),
        discard,
      };
    } catch (error) {
      await discard();
      throw error;
    }
  }

  async verifyPassword(attempt: PasswordAttempt): Promise<VerifiedAccount | null> {
    const session = await this.#signInTo(attempt);
    if (!session) return null;
    const account = await this.#describe(session, attempt.email);
    const known = await this.#accounts.find(attempt.identityId);
    const passwordChanged = known !== null && account.passwordUpdatedAt > known.passwordUpdatedAt;
    if (!passwordChanged) await this.#accounts.save(account);
    return {
      emailConfirmed: account.emailVerified,
      passwordChanged,
      acknowledge: (dbSession) => this.#accounts.saveNewer(account, dbSession),
    };
  }

  async verifyNothing(password: string): Promise<void> {
    await this.#signIn({ email: `${randomUUID()}@unknown.invalid`, password });
  }

  async prepareChange(attempt: PasswordChange): Promise<PreparedChange | null> {
    const { identityId, email, currentPassword, newPassword } = attempt;
    const session = await this.#signInTo({ identityId, email, password: currentPassword });
    if (!session) return null;
    const { idToken } = session;
    const changed = await this.#client.setPassword({ idToken, password: newPassword });
    return this.#afterNewPassword(identityId, () => this.#describe(changed, email));
  }

  async sendPasswordReset({ email }: { email: string }): Promise<void> {
    try {
      await this.#client.sendPasswordReset(email);
    } catch (error) {
      if (!isFirebaseError(error, ["EMAIL_NOT_FOUND"])) throw error;
    }
  }

  async prepareReset({ token: oobCode, newPassword, check }: PasswordReset) {
    const { email } = await this.#client.checkResetCode(oobCode);
    const identityId = await this.#accounts.findIdByEmail(email);
    await check(identityId);
    await this.#client.resetPassword({ oobCode, newPassword });
    return this.#afterNewPassword(identityId, async () =>
      this.#describe(await this.#client.signIn({ email, password: newPassword }), email),
    );
  }

  async sendVerification({ identityId }: Account): Promise<"sent" | "confirmed"> {
    const idToken = await this.#actFor(identityId);
    if (idToken === null) throw unauthenticated();
    const { emailVerified } = await this.#client.lookup(idToken);
    if (emailVerified) return "confirmed";
    await this.#client.sendVerification(idToken);
    return "sent";
  }

  async prepareConfirmation(token: string): Promise<PreparedChange> {
    const { localId, email } = await this.#client.confirmEmail(token);
    const identityId = localId ?? (await this.#accounts.findIdByEmail(email));
    return { identityId, store: () => Promise.resolve() };
  }

  /** Firebase's emails have one link, which verifies. */
  findInvited(): Promise<string> {
    return Promise.reject(invalidToken());
  }

  async deleteAccount(account: { identityId: string; session?: ClientSession }): Promise<void> {
    const { identityId, session } = account;
    if (!(await this.#deleteThere(identityId))) {
      this.#logger.error({ identityId }, "account may remain at Firebase: delete it there");
    }
    await this.#accounts.remove(identityId, session);
  }

  /** False if Firebase rejects the deletion for good. */
  async #deleteThere(identityId: string): Promise<boolean> {
    try {
      const idToken = await this.#actFor(identityId);
      if (idToken === null) return false;
      await this.#client.deleteAccount(idToken);
      return true;
    } catch (error) {
      if (!(error instanceof FirebaseError) || error.code === "rate-limited") throw error;
      return false;
    }
  }

  /** Firebase has already changed the password, so errors are only logged. The next sign-in catches up. */
  async #afterNewPassword(
    identityId: string | null,
    describe: () => Promise<SignedIn>,
  ): Promise<PreparedChange> {
    let account: SignedIn | undefined;
    try {
      account = await describe();
    } catch (error) {
      this.#logger.warn({ err: error, identityId }, "new password not read from Firebase");
    }
    return {
      identityId,
      store: async (session) => {
        if (account?.identityId === identityId) await this.#accounts.save(account, session);
      },
    };
  }

  /** Returns an `idToken`, or null if Firebase requires the user to sign in again. */
  async #actFor(identityId: string): Promise<string | null> {
    const known = await this.#accounts.find(identityId);
    if (!known?.refreshToken) return null;
    try {
      return await this.#client.refresh(known.refreshToken);
    } catch (error) {
      if (error instanceof FirebaseError && ENDED.has(error.code)) return null;
      throw error;
    }
  }

  /** @throws FirebaseError auth/email-already-in-use */
  async #signUpOrAdopt(
    credentials: Credentials,
  ): Promise<{ session: FirebaseSession; isNew: boolean }> {
    try {
      return { session: await this.#client.signUp(credentials), isNew: true };
    } catch (error) {
      if (!isFirebaseError(error, ["EMAIL_EXISTS"])) throw error;
      if ((await this.#accounts.findIdByEmail(credentials.email)) !== null) throw error;
      const session = await this.#signIn(credentials);
      if (!session) throw error;
      this.#logger.warn({ identityId: session.localId }, "existing account at Firebase adopted");
      return { session, isNew: false };
    }
  }

  async #undoSignUp({ idToken, localId }: FirebaseSession): Promise<void> {
    try {
      await this.#client.deleteAccount(idToken);
    } catch (error) {
      this.#logger.error({ err: error, identityId: localId }, "account not deleted at Firebase");
    }
  }

  /** Null if the address is unknown or the password is wrong. */
  async #signIn({ email, password: typed }: Credentials): Promise<FirebaseSession | null> {
    for (const password of formsOfPassword(typed)) {
      try {
        return await this.#client.signIn({ email, password });
      } catch (error) {
        if (error instanceof FirebaseError && error.code === "invalid-credentials") continue;
        throw error;
      }
    }
    return null;
  }

  /** Null also if the address now belongs to another account. */
  async #signInTo(attempt: PasswordAttempt): Promise<FirebaseSession | null> {
    const { identityId, email, password } = attempt;
    const session = await this.#signIn({ email, password });
    if (!session || session.localId === identityId) return session;
    this.#logger.error({ identityId }, "Firebase has another account with this user's address");
    return null;
  }

  async #describe(session: FirebaseSession, email: string): Promise<SignedIn> {
    const { localId, idToken, refreshToken } = session;
    const { emailVerified, passwordUpdatedAt } = await this.#client.lookup(idToken);
    return { identityId: localId, email, refreshToken, emailVerified, passwordUpdatedAt };
  }
}
