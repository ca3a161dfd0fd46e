import type { ClientSession } from "mongoose";

/** What somebody signs in with. */
export interface Credentials {
  email: string;
  password: string;
}

/** An account that is ready to be made together with its user. */
export interface PreparedAccount {
  identityId: string;
  /**
   * Writes what is left to write, in the transaction that makes the user; may run again when that is retried.
   * @throws AppError auth/email-already-in-use
   */
  store(session: ClientSession): Promise<void>;
  /** Takes back what was made outside the transaction, after that has come to nothing. */
  discard(): Promise<void>;
}

/** Where passwords live. The product itself knows an account only by its `identityId`. */
export interface IdentityProvider {
  /**
   * Does the slow and the outward part of making an account, once, before the transaction begins.
   * @throws AppError auth/email-already-in-use
   */
  prepareAccount(credentials: Credentials): Promise<PreparedAccount>;
  /** Whether `password` is the account's. */
  verifyPassword(attempt: Credentials & { identityId: string }): Promise<boolean>;
  /** Takes as long as `verifyPassword`, so that an unknown name cannot be told from a wrong password. */
  verifyNothing(password: string): Promise<void>;
  deleteAccount(account: { identityId: string; session?: ClientSession }): Promise<void>;
}
