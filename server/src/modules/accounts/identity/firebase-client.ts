import type { ErrorCode } from "@shared/contract/errors.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import type { Credentials } from "./identity-provider.ts";

const IDENTITY_TOOLKIT_HOST = "identitytoolkit.googleapis.com";
const SECURE_TOKEN_HOST = "securetoken.googleapis.com";

/** From the request to the last byte of the answer. */
const TIMEOUT_MS = 5_000;

const sessionSchema = z.object({
  localId: z.string().min(1),
  idToken: z.string().min(1),
  refreshToken: z.string().min(1),
});
/** The right to act for an account: `idToken` for an hour, `refreshToken` to get a new one. */
export type FirebaseSession = z.infer<typeof sessionSchema>;

const changedSchema = z.object({ localId: z.string().optional(), email: z.string() });
const grantSchema = z.object({ id_token: z.string().min(1) });
const accountSchema = z.object({
  localId: z.string(),
  emailVerified: z.boolean().default(false),
  /** Milliseconds since 1970. */
  passwordUpdatedAt: z.number().default(0),
});
/** An account's state at Firebase. */
type FirebaseAccount = z.infer<typeof accountSchema>;
const lookupSchema = z.object({ users: z.tuple([accountSchema], z.unknown()) });

/** Where the status says all there is to know. */
const doneSchema = z.object({});

const refusalSchema = z.object({ error: z.object({ message: z.string() }) });

/**
 * The calls of Firebase's Identity Toolkit and of its token service that the product needs; source: the REST
 * reference of Firebase Authentication.
 *
 * All of them throw `FirebaseError` for a refusal, and AppError unavailable if Firebase cannot be reached, does not
 * answer in time, or answers what cannot be understood.
 */
export class FirebaseClient {
  readonly #apiKey: string;
  #baseUrl: string;
  readonly #timeoutMs: number;

  /**
   * @param options `baseUrl` replaces the Identity Toolkit's address. The emulator serves it under its host's name as a
   *   path, which may be left out.
   */
  constructor(options: { apiKey: string; baseUrl?: string; timeoutMs?: number }) {
    this.#apiKey = options.apiKey;
    this.#baseUrl = (options.baseUrl ?? `https://${IDENTITY_TOOLKIT_HOST}`).replace(/\/+$/, "");
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  signUp(credentials: Credentials): Promise<FirebaseSession> {
    return this.#call("accounts:signUp", sessionSchema, {
      ...credentials,
      returnSecureToken: true,
    });
  }

  signIn(credentials: Credentials): Promise<FirebaseSession> {
    return this.#call("accounts:signInWithPassword", sessionSchema, {
      ...credentials,
      returnSecureToken: true,
    });
  }

  async lookup(idToken: string): Promise<FirebaseAccount> {
    const { users } = await this.#call("accounts:lookup", lookupSchema, { idToken });
    return users[0];
  }

  async sendVerification(idToken: string): Promise<void> {
    await this.#call("accounts:sendOobCode", doneSchema, {
      requestType: "VERIFY_EMAIL",
      idToken,
    });
  }

  async sendPasswordReset(email: string): Promise<void> {
    await this.#call("accounts:sendOobCode", doneSchema, { requestType: "PASSWORD_RESET", email });
  }

  /** Uses up the code of a reset mail. */
  resetPassword(order: { oobCode: string; newPassword: string }): Promise<{ email: string }> {
    return this.#call("accounts:resetPassword", changedSchema, order);
  }

  /** Uses up the code of a verification mail. */
  confirmEmail(oobCode: string): Promise<{ localId?: string | undefined; email: string }> {
    return this.#call("accounts:update", changedSchema, { oobCode });
  }

  /** Ends all other rights to act for the account. */
  setPassword(order: { idToken: string; password: string }): Promise<FirebaseSession> {
    return this.#call("accounts:update", sessionSchema, { ...order, returnSecureToken: true });
  }

  async deleteAccount(idToken: string): Promise<void> {
    await this.#call("accounts:delete", doneSchema, { idToken });
  }

  /** A new `idToken` for a `refreshToken`. */
  async refresh(refreshToken: string): Promise<string> {
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
    const urlOf = (base: string) =>
      `${base.replace(IDENTITY_TOOLKIT_HOST, SECURE_TOKEN_HOST)}/v1/token`;
    const grant = await this.#post(urlOf, grantSchema, { body });
    return grant.id_token;
  }

  #call<Schema extends z.ZodType>(
    method: string,
    schema: Schema,
    request: Record<string, unknown>,
  ): Promise<z.output<Schema>> {
    return this.#post((base) => `${base}/v1/${method}`, schema, {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
  }

  async #post<Schema extends z.ZodType>(
    urlOf: (base: string) => string,
    schema: Schema,
    init: Pick<RequestInit, "headers" | "body">,
  ): Promise<z.output<Schema>> {
    const key = encodeURIComponent(this.#apiKey);
    const askAt = (base: string) => this.#fetchJson(`${urlOf(base)}?key=${key}`, init);
    let answer = await askAt(this.#baseUrl);
    if (answer.status === 404 && this.#lacksPath()) {
      const emulatorUrl = `${this.#baseUrl}/${IDENTITY_TOOLKIT_HOST}`;
      const emulatorAnswer = await askAt(emulatorUrl);
      if (emulatorAnswer.status !== 404) {
        this.#baseUrl = emulatorUrl;
        answer = emulatorAnswer;
      }
    }
    if (answer.status >= 400) throw new FirebaseError(refusalOf(answer));
    const parsed = schema.safeParse(answer.body);
    if (!parsed.success) throw firebaseUnavailable(parsed.error);
    return parsed.data;
  }

  /** The Toolkit itself knows all of our calls: a bare address that does not is the emulator's. */
  #lacksPath(): boolean {
    return new URL(this.#baseUrl).pathname === "/";
  }

  /** The answer, unless it is a failure of Firebase itself. */
  async #fetchJson(url: string, init: Pick<RequestInit, "headers" | "body">) {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await fetch(url, { ...init, method: "POST", redirect: "error", signal });
      const { status } = response;
      const text = await response.text();
      if (status >= 500) throw new Error(`Firebase failed with status ${status}`);
      return { status, body: parseJson(text) };
    } catch (error) {
      throw firebaseUnavailable(error);
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalOf(answer: { status: number; body: unknown }): string {
  const refusal = refusalSchema.safeParse(answer.body);
  if (refusal.success) return refusal.data.error.message;
  return answer.status === 429 ? "TOO_MANY_ATTEMPTS_TRY_LATER" : `status ${answer.status}`;
}

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
function firebaseUnavailable(cause: unknown): AppError {
  const { code, detail, retryAfterSeconds } = notSetUp;
  return new AppError(code, detail, { retryAfterSeconds, cause });
}

/** Whether Firebase refused for one of these reasons. */
export function isRefusal(error: unknown, reasons: readonly string[]): boolean {
  return error instanceof FirebaseError && reasons.includes(error.reason);
}
