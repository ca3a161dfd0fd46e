import type { ClientSession } from "mongoose";
import type { ServerDeps } from "../../../server-deps.ts";

export interface AccountDeps extends ServerDeps {
  identity: IdentityProvider;
}

export interface Credentials {
  email: string;
  password: string;
}

/**
 * The forms in which a password is checked: NFKC, in which new ones are stored (RFC 8265), so that any keyboard can
 * type it; then as typed, in which earlier versions stored it.
 */
export function formsOfPassword(password: string): string[] {
  return [...new Set([password.normalize("NFKC"), password])];
}

export interface Account {
  identityId: string;
  email: string;
}

export type PasswordAttempt = Account & { password: string };
export type PasswordChange = Account & { currentPassword: string; newPassword: string };

export interface PasswordReset {
  token: string;
  newPassword: string;
  /** @param identityId null if the account belongs to no user */
  check(identityId: string | null): Promise<void>;
}

/** `user` is null for an unknown address. */
export interface ResetRecipient {
  email: string;
  user: { identityId: string; username: string } | null;
}

/** An account that will be created together with its user. */
export interface PreparedAccount {
  identityId: string;
  /**
   * Emails a verification link. Runs before `store`, so that no account is left without its email.
   * @throws AppError unavailable
   */
  sendVerification(username: string): Promise<void>;
  /** Writes in the transaction that creates the user. May run again on a retry. @throws AppError auth/email-already-in-use */
  store(session: ClientSession): Promise<void>;
  /** Undoes what was created outside the transaction. Never fails. */
  discard(): Promise<void>;
}

/** A change of an account that will be stored together with its effect on the user. */
export interface PreparedChange {
  /** Null if the account belongs to no user. */
  identityId: string | null;
  /**
   * Writes in the transaction that changes the user. May run again on a retry.
   * @throws AppError invalid-token, or wrong-password if the password was changed at the same time
   */
  store(session: ClientSession): Promise<void>;
}

/** Changes made at the provider itself, as found at sign-in. */
export interface VerifiedAccount {
  emailConfirmed: boolean;
  passwordChanged: boolean;
  /** Saves that the password has changed. False if another sign-in has done so. */
  acknowledge(session: ClientSession): Promise<boolean>;
}

/** Stores passwords. The product knows an account only by its `identityId`. */
export interface IdentityProvider {
  /** Does the slow and external part before the transaction. @throws AppError auth/email-already-in-use */
  prepareAccount(credentials: Credentials): Promise<PreparedAccount>;
  verifyPassword(attempt: PasswordAttempt): Promise<VerifiedAccount | null>;
  /** Takes as long as `verifyPassword`, so that an unknown name cannot be distinguished from a wrong password. */
  verifyNothing(password: string): Promise<void>;
  /** Returns null if the current password is wrong. */
  prepareChange(attempt: PasswordChange): Promise<PreparedChange | null>;
  /** Emails a reset link if there is an account. */
  sendPasswordReset(recipient: ResetRecipient): Promise<void>;
  /** `check` may refuse the password for this account by throwing. @throws AppError invalid-token */
  prepareReset(input: PasswordReset): Promise<PreparedChange>;
  /** Emails a verification link unless the address is verified. @throws AppError unavailable */
  sendVerification(account: Account & { username: string }): Promise<"sent" | "confirmed">;
  /** @throws AppError invalid-token */
  prepareConfirmation(token: string): Promise<PreparedChange>;
  /** The account that a verification link was sent for. The link keeps working. @throws AppError invalid-token */
  findInvited(token: string): Promise<string>;
  /**
   * Deletes an account; may be repeated. Writes to the database use `session`.
   * @throws AppError unavailable if it can only be deleted later
   */
  deleteAccount(account: { identityId: string; session?: ClientSession }): Promise<void>;
}
