import type { ErrorCode } from "@shared/contract/errors.ts";
import { AppError } from "@shared/node/app-error.ts";

/** What the product makes of a refusal. */
interface Reading {
  code: ErrorCode;
  detail: string;
  /** Whether the caller is told Firebase's own code. Not where it would tell a known address from an unknown one. */
  isPassedOn: boolean;
  retryAfterSeconds?: number;
}

const badCredentials: Reading = {
  code: "invalid-credentials",
  detail: "Wrong username or password.",
  isPassedOn: false,
};
const rightEnded: Reading = {
  code: "unauthenticated",
  detail: "Please log in to continue.",
  isPassedOn: false,
};
const badLink: Reading = {
  code: "invalid-token",
  detail: "This link is no longer valid. Please ask for a new one.",
  isPassedOn: false,
};
const weakPassword: Reading = {
  code: "invalid-input",
  detail: "This password is too weak. Please choose a longer one, with letters, digits and signs.",
  isPassedOn: true,
};
const tooManyAttempts: Reading = {
  code: "rate-limited",
  detail: "Too many attempts. Please try again in a few minutes.",
  isPassedOn: true,
  retryAfterSeconds: 300,
};
const notSetUp: Reading = {
  code: "unavailable",
  detail: "The sign-in service is not available. Please try again later.",
  isPassedOn: false,
  retryAfterSeconds: 60,
};
const refused: Reading = {
  code: "invalid-input",
  detail: "The sign-in service refused this request.",
  isPassedOn: true,
};

/** Refusals by Firebase's code; source: the error codes in the Identity Toolkit's REST reference. */
const READINGS = new Map<string, Reading>([
  [
    "EMAIL_EXISTS",
    {
      code: "auth/email-already-in-use",
      detail: "This e-mail address is already in use.",
      isPassedOn: true,
    },
  ],
  [
    "INVALID_EMAIL",
    { code: "invalid-input", detail: "Enter a valid e-mail address.", isPassedOn: true },
  ],
  ["INVALID_LOGIN_CREDENTIALS", badCredentials],
  ["EMAIL_NOT_FOUND", badCredentials],
  ["INVALID_PASSWORD", badCredentials],
  ["USER_DISABLED", badCredentials],
  ["TOKEN_EXPIRED", rightEnded],
  ["INVALID_ID_TOKEN", rightEnded],
  ["INVALID_REFRESH_TOKEN", rightEnded],
  ["USER_NOT_FOUND", rightEnded],
  ["CREDENTIAL_TOO_OLD_LOGIN_AGAIN", rightEnded],
  ["EXPIRED_OOB_CODE", badLink],
  ["INVALID_OOB_CODE", badLink],
  ["WEAK_PASSWORD", weakPassword],
  ["PASSWORD_DOES_NOT_MEET_REQUIREMENTS", weakPassword],
  ["TOO_MANY_ATTEMPTS_TRY_LATER", tooManyAttempts],
  ["RESET_PASSWORD_EXCEED_LIMIT", tooManyAttempts],
  ["OPERATION_NOT_ALLOWED", notSetUp],
  ["PASSWORD_LOGIN_DISABLED", notSetUp],
  ["ADMIN_ONLY_OPERATION", notSetUp],
  ["CONFIGURATION_NOT_FOUND", notSetUp],
  ["PROJECT_DISABLED", notSetUp],
  ["PROJECT_NOT_FOUND", notSetUp],
  ["QUOTA_EXCEEDED", notSetUp],
]);

/** `CODE` or `CODE : explanation`; anything else is a sentence about the key or the project. */
const CODE = /^([A-Z][A-Z0-9_]*)(?: : |$)/;

/** Firebase understood a request and refused it. */
export class FirebaseError extends AppError {
  /** Firebase's code, or its whole message where that has none. */
  readonly reason: string;

  constructor(message: string) {
    const code = CODE.exec(message)?.[1];
    const reading = code === undefined ? notSetUp : (READINGS.get(code) ?? refused);
    super(reading.code, reading.detail, {
      serviceCode: reading.isPassedOn ? code : undefined,
      retryAfterSeconds: reading.retryAfterSeconds,
      cause: new Error(`Firebase answered: ${message}`),
    });
    this.reason = code ?? message;
  }
}

/** Firebase cannot be reached, does not answer in time, or answers what it never should. */
export function firebaseUnavailable(cause: unknown): AppError {
  const { code, detail, retryAfterSeconds } = notSetUp;
  return new AppError(code, detail, { retryAfterSeconds, cause });
}

/** Whether Firebase refused for one of these reasons. */
export function isRefusal(error: unknown, reasons: readonly string[]): boolean {
  return error instanceof FirebaseError && reasons.includes(error.reason);
}
