import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { HTTP_FAULTS, type HttpFault, readText, sendJson, startHttpFake } from "./fake-http.ts";

type RefusedCall =
  | { kind: "refusal"; message: string; status?: number }
  | { kind: "status"; status: number }
  | { kind: "nonsense" }
  | { kind: HttpFault };

/** How a call fails. `lost-answer`: the call succeeds, but the connection breaks before the response. */
export type FirebaseFailure = RefusedCall | { kind: "lost-answer" };

export type FirebaseCall = keyof FakeFirebaseAccounts["calls"];

export type FakeFirebase = Awaited<ReturnType<typeof startFakeFirebase>>;

const API_KEY = "fake-api-key";
const PATH = /^\/v1\/(accounts:\w+|token)$/;

/** Starts a fake of Firebase Authentication: its Identity Toolkit and its token service, in their real shapes. */
export async function startFakeFirebase() {
  const accounts = new FakeFirebaseAccounts();
  const failures = new Map<string, FirebaseFailure>();
  const calls: string[] = [];
  const server = await startHttpFake(async (request, response) => {
    const url = new URL(request.url ?? "", "http://fake");
    const name = PATH.exec(url.pathname)?.[1] ?? "";
    const act = new Map<string, FakeCall>(Object.entries(accounts.calls)).get(name);
    if (request.method !== "POST" || !act) return sendJson(response, {}, 404);
    calls.push(name);
    if (url.searchParams.get("key") !== API_KEY) {
      return refuse(response, "API key not valid. Please pass a valid API key.");
    }
    const failure = failures.get(name);
    if (failure && failure.kind !== "lost-answer") return failAs(response, failure);
    const answer = answerOf(act, await readBody(request));
    if (failure) return void response.destroy();
    sendJson(response, answer.body, answer.status);
  });
  return {
    ...server,
    apiKey: API_KEY,
    calls,
    mails: accounts.mails,
    account: (email: string) => accounts.byEmail.get(email.toLowerCase()),
    /** Sets a password outside the product. */
    setPassword: (email: string, password: string) => {
      const account = accounts.byEmail.get(email.toLowerCase());
      if (account) accounts.setPassword(account, password);
    },
    expire: (oobCode: string) => accounts.expire(oobCode),
    /** Chooses whether responses to unknown and known addresses are alike. */
    hideAddresses: (hides: boolean) => {
      accounts.hidesAddresses = hides;
    },
    /** Makes all requests of a call fail until `reset`. */
    fail: (call: FirebaseCall, failure: FirebaseFailure) => void failures.set(call, failure),
    /** Makes all calls succeed again and clears their list. The accounts stay. */
    reset: () => {
      failures.clear();
      calls.length = 0;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
}

type FakeCall = (request: unknown) => object;

function answerOf(act: FakeCall, request: unknown): { status: number; body: object } {
  try {
    return { status: 200, body: act(request) };
  } catch (error) {
    if (error instanceof FirebaseRefusal) return { status: 400, body: refusal(error.message) };
    if (error instanceof z.ZodError) return { status: 400, body: refusal(error.message) };
    throw error;
  }
}

function failAs(response: ServerResponse, failure: RefusedCall): void {
  switch (failure.kind) {
    case "refusal":
      return refuse(response, failure.message, failure.status);
    case "status":
      return sendJson(response, "", failure.status);
    case "nonsense":
      return sendJson(response, { kind: "identitytoolkit#Nonsense" });
    default:
      return HTTP_FAULTS[failure.kind](response);
  }
}

function refuse(response: ServerResponse, message: string, status = 400): void {
  sendJson(response, refusal(message, status), status);
}

function refusal(message: string, code = 400) {
  const errors = [{ message, domain: "global", reason: "invalid" }];
  return { error: { code, message, errors } };
}

interface FakeFirebaseAccount {
  localId: string;
  email: string;
  password: string;
  emailVerified: boolean;
  disabled: boolean;
  passwordUpdatedAt: number;
}

export interface FakeFirebaseMail {
  email: string;
  requestType: "VERIFY_EMAIL" | "PASSWORD_RESET";
  oobCode: string;
}

class FirebaseRefusal extends Error {
  override readonly name = "FirebaseRefusal";
}

const MIN_PASSWORD_LENGTH = 6;

const credentialsSchema = z.object({ email: z.email(), password: z.string() });
const tokenSchema = z.object({ idToken: z.string() });
const oobRequestSchema = z.discriminatedUnion("requestType", [
  z.object({ requestType: z.literal("VERIFY_EMAIL"), idToken: z.string() }),
  z.object({ requestType: z.literal("PASSWORD_RESET"), email: z.string() }),
]);
const resetSchema = z.object({ oobCode: z.string(), newPassword: z.string().optional() });
const updateSchema = z.union([
  z.object({ oobCode: z.string() }),
  z.object({ idToken: z.string(), password: z.string() }),
]);
const grantSchema = z.object({
  grant_type: z.literal("refresh_token"),
  refresh_token: z.string(),
});

class FakeFirebaseAccounts {
  readonly byEmail = new Map<string, FakeFirebaseAccount>();
  readonly mails: FakeFirebaseMail[] = [];
  /** As in new projects. */
  hidesAddresses = true;
  readonly #idTokens = new Map<string, FakeFirebaseAccount>();
  readonly #refreshTokens = new Map<string, FakeFirebaseAccount>();
  readonly #openCodes = new Map<string, FakeFirebaseMail>();
  readonly #expiredCodes = new Set<string>();
  #lastUpdateAt = 0;

  readonly calls = {
    "accounts:signUp": (request: unknown) => this.#signUp(credentialsSchema.parse(request)),
    "accounts:signInWithPassword": (request: unknown) =>
      this.#signIn(credentialsSchema.parse(request)),
    "accounts:lookup": (request: unknown) => this.#lookup(tokenSchema.parse(request)),
    "accounts:sendOobCode": (request: unknown) =>
      this.#sendOobCode(oobRequestSchema.parse(request)),
    "accounts:resetPassword": (request: unknown) => this.#resetPassword(resetSchema.parse(request)),
    "accounts:update": (request: unknown) => this.#update(updateSchema.parse(request)),
    "accounts:delete": (request: unknown) => this.#delete(tokenSchema.parse(request)),
    token: (request: unknown) => this.#grant(grantSchema.parse(request)),
  };

  /** Sets a password, which revokes all tokens. */
  setPassword(account: FakeFirebaseAccount, password: string): void {
    if (password.length < MIN_PASSWORD_LENGTH) {
      throw new FirebaseRefusal("WEAK_PASSWORD : Password should be at least 6 characters");
    }
    account.password = password;
    account.passwordUpdatedAt = this.#nextInstant();
    this.#revokeTokens(account);
  }

  expire(oobCode: string): void {
    this.#openCodes.delete(oobCode);
    this.#expiredCodes.add(oobCode);
  }

  #signUp({ email, password }: z.infer<typeof credentialsSchema>) {
    if (this.#find(email)) throw new FirebaseRefusal("EMAIL_EXISTS");
    const account: FakeFirebaseAccount = {
      localId: randomUUID(),
      email: email.toLowerCase(),
      password: "",
      emailVerified: false,
      disabled: false,
      passwordUpdatedAt: 0,
    };
    this.setPassword(account, password);
    this.byEmail.set(account.email, account);
    return this.#issueTokens(account);
  }

  #signIn({ email, password }: z.infer<typeof credentialsSchema>) {
    const account = this.#find(email);
    const hidden = "INVALID_LOGIN_CREDENTIALS";
    if (!account) throw new FirebaseRefusal(this.hidesAddresses ? hidden : "EMAIL_NOT_FOUND");
    if (account.disabled) throw new FirebaseRefusal("USER_DISABLED");
    if (account.password === password) return this.#issueTokens(account);
    throw new FirebaseRefusal(this.hidesAddresses ? hidden : "INVALID_PASSWORD");
  }

  #lookup({ idToken }: z.infer<typeof tokenSchema>) {
    const { password: _, ...shown } = this.#accountOf(idToken);
    return { users: [shown] };
  }

  #sendOobCode(request: z.infer<typeof oobRequestSchema>) {
    const account =
      request.requestType === "VERIFY_EMAIL"
        ? this.#accountOf(request.idToken)
        : this.#find(request.email);
    if (!account && !this.hidesAddresses) throw new FirebaseRefusal("EMAIL_NOT_FOUND");
    if (account) {
      const { requestType } = request;
      const mail = { email: account.email, requestType, oobCode: randomUUID() };
      this.#openCodes.set(mail.oobCode, mail);
      this.mails.push(mail);
    }
    return account ? { email: account.email } : {};
  }

  #resetPassword({ oobCode, newPassword }: z.infer<typeof resetSchema>) {
    const account = this.#accountOfCode(oobCode, "PASSWORD_RESET");
    const answer = { email: account.email, requestType: "PASSWORD_RESET" };
    // Without a password, the call only checks the code.
    if (newPassword === undefined) return answer;
    this.setPassword(account, newPassword);
    this.#openCodes.delete(oobCode);
    account.emailVerified = true;
    return answer;
  }

  #update(request: z.infer<typeof updateSchema>) {
    if ("oobCode" in request) {
      const account = this.#accountOfCode(request.oobCode, "VERIFY_EMAIL");
      this.#openCodes.delete(request.oobCode);
      account.emailVerified = true;
      return { localId: account.localId, email: account.email, emailVerified: true };
    }
    const account = this.#accountOf(request.idToken);
    this.setPassword(account, request.password);
    return this.#issueTokens(account);
  }

  #delete({ idToken }: z.infer<typeof tokenSchema>) {
    const account = this.#accountOf(idToken);
    this.byEmail.delete(account.email);
    this.#revokeTokens(account);
    return {};
  }

  #grant(request: z.infer<typeof grantSchema>) {
    const account = this.#refreshTokens.get(request.refresh_token);
    if (!account) throw new FirebaseRefusal("TOKEN_EXPIRED");
    if (account.disabled) throw new FirebaseRefusal("USER_DISABLED");
    const { idToken, refreshToken, localId } = this.#issueTokens(account);
    return { id_token: idToken, refresh_token: refreshToken, user_id: localId };
  }

  #issueTokens(account: FakeFirebaseAccount) {
    const idToken = `id-${randomUUID()}`;
    const refreshToken = `refresh-${randomUUID()}`;
    this.#idTokens.set(idToken, account);
    this.#refreshTokens.set(refreshToken, account);
    const { localId, email } = account;
    return { localId, email, idToken, refreshToken, expiresIn: "3600" };
  }

  #accountOf(idToken: string): FakeFirebaseAccount {
    const account = this.#idTokens.get(idToken);
    if (!account) throw new FirebaseRefusal("INVALID_ID_TOKEN");
    return account;
  }

  #accountOfCode(oobCode: string, requestType: string): FakeFirebaseAccount {
    if (this.#expiredCodes.has(oobCode)) throw new FirebaseRefusal("EXPIRED_OOB_CODE");
    const mail = this.#openCodes.get(oobCode);
    const account = mail?.requestType === requestType ? this.#find(mail.email) : undefined;
    if (!account) throw new FirebaseRefusal("INVALID_OOB_CODE");
    return account;
  }

  #revokeTokens(account: FakeFirebaseAccount): void {
    for (const tokens of [this.#idTokens, this.#refreshTokens]) {
      for (const [token, owner] of tokens) if (owner === account) tokens.delete(token);
    }
  }

  #find(email: string): FakeFirebaseAccount | undefined {
    return this.byEmail.get(email.toLowerCase());
  }

  /** The current time, but never the same twice. */
  #nextInstant(): number {
    this.#lastUpdateAt = Math.max(Date.now(), this.#lastUpdateAt + 1);
    return this.#lastUpdateAt;
  }
}
