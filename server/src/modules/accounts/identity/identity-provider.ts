import type { ClientSession } from "mongoose";

/** What somebody signs in with. */
export interface Credentials {
  email: string;
  password: string;
}

/** A user's account at the provider. */
export interface Account {
  identityId: string;
  email: string;
}

/** An account that is ready to be made together with its user. */
export interface PreparedAccount {
  identityId: string;
  /**
   * Asks the owner by mail to confirm his address; before `store`, so that no account is left without its mail.
   * @throws AppError unavailable if the mail is not accepted
   */
  sendVerification(username: string): Promise<void>;
  /**
   * Writes what is left to write, in the transaction that makes the user; may run again when that is retried.
   * @throws AppError auth/email-already-in-use
   */
  store(session: ClientSession): Promise<void>;
  /** Takes back what was made outside the transaction, after that has come to nothing; never fails. */
  discard(): Promise<void>;
}

/** A change at the provider that is ready to be made together with what it means for the user. */
export interface PreparedChange {
  /** Whose account changes; null if it is nobody's who is a user here. */
  identityId: string | null;
  /**
   * Writes what is left to write, in the transaction that changes the user; may run again when that is retried.
   * @throws AppError invalid-token, wrong-password if another change was faster
   */
  store(session: ClientSession): Promise<void>;
}

/** What a successful sign-in brings to light: changes that were made at the provider itself. */
export interface VerifiedAccount {
  /** The owner has confirmed his address there. */
  emailConfirmed: boolean;
  /** The password was changed there since we last heard of it. */
  passwordChanged: boolean;
  /** Takes note of the changed password; false if another sign-in has already done so. */
  acknowledge(session: ClientSession): Promise<boolean>;
}

/** Where passwords live. The product itself knows an account only by its `identityId`. */
export interface IdentityProvider {
  /**
   * Does the slow and the outward part of making an account, once, before the transaction begins.
   * @throws AppError auth/email-already-in-use
   */
  prepareAccount(credentials: Credentials): Promise<PreparedAccount>;
  /** The account, if `password` is its password; otherwise null. */
  verifyPassword(attempt: Account & { password: string }): Promise<VerifiedAccount | null>;
  /** Does the same work as `verifyPassword`, so that an unknown name cannot be told from a wrong password. */
  verifyNothing(password: string): Promise<void>;
  /** Checks the current password and prepares to change it; null if it is wrong. */
  prepareChange(
    attempt: Account & { currentPassword: string; newPassword: string },
  ): Promise<PreparedChange | null>;
  /**
   * Sends a link that sets a new password, if there is an account with this address.
   * @param recipient `user` is null for an address that no user has
   */
  sendPasswordReset(recipient: {
    email: string;
    user: { identityId: string; username: string } | null;
  }): Promise<void>;
  /** @throws AppError invalid-token */
  prepareReset(order: { token: string; newPassword: string }): Promise<PreparedChange>;
  /**
   * Asks the owner once more to confirm his address.
   * @returns `confirmed` if he has done so already
   * @throws AppError unavailable if the mail is not accepted
   */
  sendVerification(account: Account & { username: string }): Promise<"sent" | "confirmed">;
  /** @throws AppError invalid-token */
  prepareConfirmation(token: string): Promise<PreparedChange>;
  /**
   * Deletes an account; may be repeated harmlessly. What is in the database goes under `session`.
   * @throws AppError unavailable if the account could not be deleted now, but can be later
   */
  deleteAccount(account: { identityId: string; session?: ClientSession }): Promise<void>;
}
