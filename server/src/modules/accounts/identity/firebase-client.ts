import type { ErrorCode } from "@shared/contract/errors.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import type { Credentials } from "./identity-provider.ts";

const IDENTITY_TOOLKIT_HOST = "identitytoolkit.googleapis.com";
const SECURE_TOKEN_HOST = "securetoken.googleapis.com";

/** Covers the response body too. */
const TIMEOUT_MS = 5_000;

const sessionSchema = z.object({
  localId: z.string().min(1),
  idToken: z.string().min(1),
  refreshToken: z.string().min(1),
});
/** `idToken` is valid for an hour; `refreshToken` gets a new one. */
export type FirebaseSession = z.infer<typeof sessionSchema>;

const changedSchema = z.object({ localId: z.string().optional(), email: z.string() });
const grantSchema = z.object({ id_token: z.string().min(1) });
const accountSchema = z.object({
  localId: z.string(),
  emailVerified: z.boolean().default(false),
  /** Unix milliseconds. */
  passwordUpdatedAt: z.number().default(0),
});
type FirebaseAccount = z.infer<typeof accountSchema>;
const lookupSchema = z.object({ users: z.tuple([accountSchema], z.unknown()) });

/** The status is enough. */
const doneSchema = z.object({});

const errorSchema = z.object({ error: z.object({ message: z.string() }) });

/**
 * The calls of Firebase's Identity Toolkit and token service that the product needs. Source: REST reference of Firebase
 * Authentication. They throw `FirebaseError` if rejected, and AppError unavailable if Firebase does not respond properly.
 */
export class FirebaseClient {
  readonly #apiKey: string;
  #baseUrl: string;
  readonly #timeoutMs: number;

  /**
   * @param options `baseUrl` replaces the Identity Toolkit's URL. The emulator serves it below its host name, which may be
   * omitted.
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

  /** The address of a reset email, whose code stays valid. */
  checkResetCode(oobCode: string): Promise<{ email: string }> {
    return this.#call("accounts:resetPassword", changedSchema, { oobCode });
  }

  async resetPassword(input: { oobCode: string; newPassword: string }): Promise<void> {
    await this.#call("accounts:resetPassword", changedSchema, input);
  }

  /** Uses up the code of a verification email. */
  confirmEmail(oobCode: string): Promise<{ localId?: string | undefined; email: string }> {
    return this.#call("accounts:update", changedSchema, { oobCode });
  }

  setPassword(input: { idToken: string; password: string }): Promise<FirebaseSession> {
    return this.#call("accounts:update", sessionSchema, { ...input, returnSecureToken: true });
  }

  async deleteAccount(idToken: string): Promise<void> {
    await this.#call("accounts:delete", doneSchema, { idToken });
  }

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
    const postTo = (base: string) => this.#fetchJson(`${urlOf(base)}?key=${key}`, init);
    let reply = await postTo(this.#baseUrl);
    if (reply.status === 404 && this.#lacksPath()) {
      const emulatorUrl = `${this.#baseUrl}/${IDENTITY_TOOLKIT_HOST}`;
      const emulatorReply = await postTo(emulatorUrl);
      if (emulatorReply.status !== 404) {
        this.#baseUrl = emulatorUrl;
        reply = emulatorReply;
      }
    }
    if (reply.status >= 400) throw new FirebaseError(messageOf(reply));
    const parsed = schema.safeParse(reply.body);
    if (!parsed.success) throw firebaseUnavailable(parsed.error);
    return parsed.data;
  }

  /** The Identity Toolkit knows all these calls. If a base URL without a path does not, it is the emulator's. */
  #lacksPath(): boolean {
    return new URL(this.#baseUrl).pathname === "/";
  }

  /** @throws AppError unavailable if Firebase itself fails */
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

function messageOf(reply: { status: number; body: unknown }): string {
  const parsed = errorSchema.safeParse(reply.body);
  if (parsed.success) return parsed.data.error.message;
  return reply.status === 429 ? "TOO_MANY_ATTEMPTS_TRY_LATER" : `status ${reply.status}`;
}

interface Rejection {
  code: ErrorCode;
  detail: string;
  /** Report Firebase's own code. Absent where it would reveal whether an address is known. */
  exposeCode?: true;
  retryAfterSeconds?: number;
}

const unavailable: Rejection = {
  code: "unavailable",
  detail: "The sign-in service is unavailable. Please try again later.",
  retryAfterSeconds: 60,
};
const otherRejection: Rejection = {
  code: "invalid-input",
  detail: "The sign-in service rejected this request.",
  exposeCode: true,
};

/** Source: error codes in the Identity Toolkit's REST reference. */
const REJECTIONS: readonly (Rejection & { reasons: readonly string[] })[] = [
  {
    reasons: ["EMAIL_EXISTS"],
    code: "auth/email-already-in-use",
    detail: "This email address is already in use.",
    exposeCode: true,
  },
  {
    reasons: ["INVALID_EMAIL"],
    code: "invalid-input",
    detail: "Enter a valid email address.",
    exposeCode: true,
  },
  {
    reasons: ["INVALID_LOGIN_CREDENTIALS", "EMAIL_NOT_FOUND", "INVALID_PASSWORD", "USER_DISABLED"],
    code: "invalid-credentials",
    detail: "Wrong username or password.",
  },
  {
    reasons: [
      "TOKEN_EXPIRED",
      "INVALID_ID_TOKEN",
      "INVALID_REFRESH_TOKEN",
      "USER_NOT_FOUND",
      "CREDENTIAL_TOO_OLD_LOGIN_AGAIN",
    ],
    code: "unauthenticated",
    detail: "Please log in to continue.",
  },
  {
    reasons: ["EXPIRED_OOB_CODE", "INVALID_OOB_CODE"],
    code: "invalid-token",
    detail: "This link is no longer valid. Please request a new one.",
  },
  {
    reasons: ["WEAK_PASSWORD", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"],
    code: "invalid-input",
    detail: "This password is too weak. Choose a longer one with letters, digits and symbols.",
    exposeCode: true,
  },
  {
    reasons: ["TOO_MANY_ATTEMPTS_TRY_LATER", "RESET_PASSWORD_EXCEED_LIMIT"],
    code: "rate-limited",
    detail: "Too many attempts. Please try again in a few minutes.",
    exposeCode: true,
    retryAfterSeconds: 300,
  },
  {
    reasons: [
      "OPERATION_NOT_ALLOWED",
      "PASSWORD_LOGIN_DISABLED",
      "ADMIN_ONLY_OPERATION",
      "CONFIGURATION_NOT_FOUND",
      "PROJECT_DISABLED",
      "PROJECT_NOT_FOUND",
      "QUOTA_EXCEEDED",
    ],
    ...unavailable,
  },
];

function rejectionOf(reason: string | undefined): Rejection {
  if (reason === undefined) return unavailable;
  return REJECTIONS.find(({ reasons }) => reasons.includes(reason)) ?? otherRejection;
}

/** `CODE` or `CODE : explanation`. Other messages are about the key or the project. */
const CODE = /^([A-Z][A-Z0-9_]*)(?: : |$)/;

export class FirebaseError extends AppError {
  /** Firebase's code, or its message if it has none. */
  readonly reason: string;

  constructor(message: string) {
    const code = CODE.exec(message)?.[1];
    const rejection = rejectionOf(code);
    super(rejection.code, rejection.detail, {
      serviceCode: rejection.exposeCode ? code : undefined,
      retryAfterSeconds: rejection.retryAfterSeconds,
      cause: new Error(`Firebase answered: ${message}`),
    });
    this.reason = code ?? message;
  }
}

function firebaseUnavailable(cause: unknown): AppError {
  const { code, detail, retryAfterSeconds } = unavailable;
  return new AppError(code, detail, { retryAfterSeconds, cause });
}

export function isFirebaseError(error: unknown, reasons: readonly string[]): boolean {
  return error instanceof FirebaseError && reasons.includes(error.reason);
}
