import { randomUUID } from "node:crypto";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { ClientSession } from "mongoose";
import { unauthenticated } from "../../../http/errors.ts";
import { FirebaseAccounts, type KnownAccount } from "./firebase-accounts.ts";
import {
  type FirebaseClient,
  FirebaseError,
  type FirebaseSession,
  isRefusal,
} from "./firebase-client.ts";
import type {
  Account,
  Credentials,
  IdentityProvider,
  PreparedAccount,
  PreparedChange,
  VerifiedAccount,
} from "./identity-provider.ts";

/** The account is gone or disabled there, or its password has become another. */
const ENDED = new Set<string>(["unauthenticated", "invalid-credentials"]);

/**
 * Leaves passwords, mails and links to Firebase Authentication, over its REST interface. An API key alone may only
 * act for somebody who signs in, so his refresh token is kept, to send his mails and to delete his account later.
 *
 * Firebase knows no transactions. Where it was changed and the database then failed, or where it was changed without
 * us, the next sign-in finds the difference and settles it.
 */
export class FirebaseIdentity implements IdentityProvider {
  readonly #client: FirebaseClient;
  readonly #accounts: FirebaseAccounts;
  readonly #signIn: FirebaseSignIn;
  readonly #logger: Logger;

  /** @param options `secret` encrypts the refresh tokens */
  constructor(options: {
    client: FirebaseClient;
    database: Pick<Database, "firebaseAccounts">;
    secret: string;
    logger: Logger;
  }) {
    this.#client = options.client;
    this.#accounts = new FirebaseAccounts(options);
    this.#signIn = new FirebaseSignIn(options);
    this.#logger = options.logger;
  }

  prepareAccount(credentials: Credentials): Promise<PreparedAccount> {
    return prepareFirebaseAccount(
      {
        client: this.#client,
        accounts: this.#accounts,
        signIn: this.#signIn,
        logger: this.#logger,
      },
      credentials,
    );
  }

  async verifyPassword(attempt: Account & { password: string }): Promise<VerifiedAccount | null> {
    const session = await this.#signIn.tryFor(attempt);
    if (!session) return null;
    const account = await this.#signIn.describe(session, attempt.email);
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
    await this.#signIn.try({ email: `${randomUUID()}@nobody.invalid`, password });
  }

  async prepareChange(
    attempt: Account & { currentPassword: string; newPassword: string },
  ): Promise<PreparedChange | null> {
    const { identityId, email, currentPassword, newPassword } = attempt;
    const session = await this.#signIn.tryFor({ identityId, email, password: currentPassword });
    if (!session) return null;
    const { idToken } = session;
    const changed = await this.#client.setPassword({ idToken, password: newPassword });
    return this.#afterNewPassword(identityId, () => this.#signIn.describe(changed, email));
  }

  async sendPasswordReset({ email }: { email: string }): Promise<void> {
    try {
      await this.#client.sendPasswordReset(email);
    } catch (error) {
      if (!isRefusal(error, ["EMAIL_NOT_FOUND"])) throw error;
    }
  }

  async prepareReset(order: { token: string; newPassword: string }): Promise<PreparedChange> {
    const { token: oobCode, newPassword: password } = order;
    const { email } = await this.#client.resetPassword({ oobCode, newPassword: password });
    const identityId = await this.#accounts.findIdByEmail(email);
    return this.#afterNewPassword(identityId, async () =>
      this.#signIn.describe(await this.#client.signIn({ email, password }), email),
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

  async deleteAccount(account: { identityId: string; session?: ClientSession }): Promise<void> {
    const { identityId, session } = account;
    if (!(await this.#deleteThere(identityId))) {
      this.#logger.error({ identityId }, "account may be left at Firebase: delete it there");
    }
    await this.#accounts.remove(identityId, session);
  }

  /** Whether the account was deleted; false if Firebase will not let us, however often we ask. */
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

  /**
   * The rest of a change of password that Firebase has already made. Nothing may stop it any more: if Firebase does
   * not say what it has noted, the next sign-in catches up.
   */
  async #afterNewPassword(
    identityId: string | null,
    describe: () => Promise<SignedIn>,
  ): Promise<PreparedChange> {
    let account: SignedIn | undefined;
    try {
      account = await describe();
    } catch (error) {
      this.#logger.warn({ err: error, identityId }, "new password not looked up at Firebase");
    }
    return {
      identityId,
      store: async (session) => {
        if (account?.identityId === identityId) await this.#accounts.save(account, session);
      },
    };
  }

  /** An `idToken` of the user's account, or null if Firebase has ended our right to one until he signs in again. */
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
}

interface RegistrationDeps {
  client: FirebaseClient;
  accounts: FirebaseAccounts;
  signIn: FirebaseSignIn;
  logger: Logger;
}

/**
 * Makes an account at Firebase for a user who is about to be made. If that comes to nothing the account is deleted
 * again; if even that fails it stays behind as nobody's, and a later registration that knows its password adopts it.
 * @throws FirebaseError auth/email-already-in-use
 */
async function prepareFirebaseAccount(
  deps: RegistrationDeps,
  credentials: Credentials,
): Promise<PreparedAccount> {
  const { client, accounts, signIn } = deps;
  const { session, isNew } = await signUpOrAdopt(deps, credentials);
  const discard = async () => {
    if (isNew) await takeBack(deps, session);
  };
  try {
    const account = await signIn.describe(session, credentials.email);
    return {
      identityId: session.localId,
      sendVerification: () => client.sendVerification(session.idToken),
      store: (dbSession) => accounts.save(account, dbSession),
      discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function signUpOrAdopt(
  { client, accounts, signIn, logger }: RegistrationDeps,
  credentials: Credentials,
): Promise<{ session: FirebaseSession; isNew: boolean }> {
  try {
    return { session: await client.signUp(credentials), isNew: true };
  } catch (error) {
    if (!isRefusal(error, ["EMAIL_EXISTS"])) throw error;
    if ((await accounts.findIdByEmail(credentials.email)) !== null) throw error;
    const session = await signIn.try(credentials);
    if (!session) throw error;
    logger.warn({ identityId: session.localId }, "account adopted that was left at Firebase");
    return { session, isNew: false };
  }
}

async function takeBack(
  { client, logger }: RegistrationDeps,
  { idToken, localId }: FirebaseSession,
): Promise<void> {
  try {
    await client.deleteAccount(idToken);
  } catch (error) {
    logger.error({ err: error, identityId: localId }, "account left behind at Firebase");
  }
}

/** An account, as Firebase shows it to whoever has signed in. */
interface SignedIn extends KnownAccount {
  idToken: string;
  emailVerified: boolean;
}

/** Signs in at Firebase, to find out whether a password is right and what has become of the account. */
class FirebaseSignIn {
  readonly #client: FirebaseClient;
  readonly #logger: Logger;

  constructor(options: { client: FirebaseClient; logger: Logger }) {
    this.#client = options.client;
    this.#logger = options.logger;
  }

  /** A session, or null if Firebase knows no such address or the password is another. */
  async try(credentials: Credentials): Promise<FirebaseSession | null> {
    try {
      return await this.#client.signIn(credentials);
    } catch (error) {
      if (error instanceof FirebaseError && error.code === "invalid-credentials") return null;
      throw error;
    }
  }

  /** The same, but only for the very account that the user was made with. */
  async tryFor(attempt: Account & { password: string }): Promise<FirebaseSession | null> {
    const { identityId, email, password } = attempt;
    const session = await this.try({ email, password });
    if (!session || session.localId === identityId) return session;
    this.#logger.error({ identityId }, "Firebase has another account under this user's address");
    return null;
  }

  /** What Firebase says of the account that a session is for. */
  async describe(session: FirebaseSession, email: string): Promise<SignedIn> {
    const { localId, idToken, refreshToken } = session;
    const { emailVerified, passwordUpdatedAt } = await this.#client.lookup(idToken);
    return { identityId: localId, email, idToken, refreshToken, emailVerified, passwordUpdatedAt };
  }
}
