import type { Logger } from "@shared/node/logger.ts";
import type { KnownAccount } from "./firebase-accounts.ts";
import type { FirebaseClient, FirebaseSession } from "./firebase-client.ts";
import { FirebaseError } from "./firebase-error.ts";
import type { Account, Credentials } from "./identity-provider.ts";

/** An account, as Firebase shows it to whoever has signed in. */
export interface SignedIn extends KnownAccount {
  idToken: string;
  emailVerified: boolean;
}

/** Signs in at Firebase, to find out whether a password is right and what has become of the account. */
export class FirebaseSignIn {
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
