import { randomUUID } from "node:crypto";
import { z } from "zod";

/** An account that the stand-in keeps. */
export interface FirebaseStandInAccount {
  localId: string;
  email: string;
  password: string;
  emailVerified: boolean;
  disabled: boolean;
  /** Milliseconds since 1970. */
  passwordUpdatedAt: number;
}

/** A mail that Firebase would have sent. */
export interface FirebaseStandInMail {
  email: string;
  requestType: "VERIFY_EMAIL" | "PASSWORD_RESET";
  oobCode: string;
}

/** A request that Firebase refuses, by its code. */
export class FirebaseRefusal extends Error {
  override readonly name = "FirebaseRefusal";
}

const MIN_PASSWORD_LENGTH = 6;

const credentialsSchema = z.object({ email: z.email(), password: z.string() });
const tokenSchema = z.object({ idToken: z.string() });
const oobRequestSchema = z.discriminatedUnion("requestType", [
  z.object({ requestType: z.literal("VERIFY_EMAIL"), idToken: z.string() }),
  z.object({ requestType: z.literal("PASSWORD_RESET"), email: z.string() }),
]);
const resetSchema = z.object({ oobCode: z.string(), newPassword: z.string() });
const updateSchema = z.union([
  z.object({ oobCode: z.string() }),
  z.object({ idToken: z.string(), password: z.string() }),
]);
const grantSchema = z.object({
  grant_type: z.literal("refresh_token"),
  refresh_token: z.string(),
});

/** What Firebase knows, and what its calls do to it. */
export class FirebaseStandInAccounts {
  readonly byEmail = new Map<string, FirebaseStandInAccount>();
  readonly mails: FirebaseStandInMail[] = [];
  /** Tells no unknown address from a known one, as new projects do. */
  hidesAddresses = true;
  readonly #idTokens = new Map<string, FirebaseStandInAccount>();
  readonly #refreshTokens = new Map<string, FirebaseStandInAccount>();
  readonly #openCodes = new Map<string, FirebaseStandInMail>();
  readonly #expiredCodes = new Set<string>();
  #lastUpdateAt = 0;

  /** The calls by their names. */
  readonly calls: Record<string, (request: unknown) => object> = {
    "accounts:signUp": (request) => this.#signUp(credentialsSchema.parse(request)),
    "accounts:signInWithPassword": (request) => this.#signIn(credentialsSchema.parse(request)),
    "accounts:lookup": (request) => this.#lookup(tokenSchema.parse(request)),
    "accounts:sendOobCode": (request) => this.#sendOobCode(oobRequestSchema.parse(request)),
    "accounts:resetPassword": (request) => this.#resetPassword(resetSchema.parse(request)),
    "accounts:update": (request) => this.#update(updateSchema.parse(request)),
    "accounts:delete": (request) => this.#delete(tokenSchema.parse(request)),
    token: (request) => this.#grant(grantSchema.parse(request)),
  };

  /** Sets a password as its owner does on Firebase's own page: every earlier right to act for him ends. */
  setPassword(account: FirebaseStandInAccount, password: string): void {
    if (password.length < MIN_PASSWORD_LENGTH) {
      throw new FirebaseRefusal("WEAK_PASSWORD : Password should be at least 6 characters");
    }
    account.password = password;
    account.passwordUpdatedAt = this.#nextInstant();
    this.#endRights(account);
  }

  /** Lets a mailed code run out. */
  expire(oobCode: string): void {
    this.#openCodes.delete(oobCode);
    this.#expiredCodes.add(oobCode);
  }

  #signUp({ email, password }: z.infer<typeof credentialsSchema>) {
    if (this.#find(email)) throw new FirebaseRefusal("EMAIL_EXISTS");
    const account: FirebaseStandInAccount = {
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
    this.setPassword(account, newPassword);
    this.#openCodes.delete(oobCode);
    account.emailVerified = true;
    return { email: account.email, requestType: "PASSWORD_RESET" };
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
    this.#endRights(account);
    return {};
  }

  #grant(request: z.infer<typeof grantSchema>) {
    const account = this.#refreshTokens.get(request.refresh_token);
    if (!account) throw new FirebaseRefusal("TOKEN_EXPIRED");
    if (account.disabled) throw new FirebaseRefusal("USER_DISABLED");
    const { idToken, refreshToken, localId } = this.#issueTokens(account);
    return { id_token: idToken, refresh_token: refreshToken, user_id: localId };
  }

  #issueTokens(account: FirebaseStandInAccount) {
    const idToken = `id-${randomUUID()}`;
    const refreshToken = `refresh-${randomUUID()}`;
    this.#idTokens.set(idToken, account);
    this.#refreshTokens.set(refreshToken, account);
    const { localId, email } = account;
    return { localId, email, idToken, refreshToken, expiresIn: "3600" };
  }

  #accountOf(idToken: string): FirebaseStandInAccount {
    const account = this.#idTokens.get(idToken);
    if (!account) throw new FirebaseRefusal("INVALID_ID_TOKEN");
    return account;
  }

  #accountOfCode(oobCode: string, requestType: string): FirebaseStandInAccount {
    if (this.#expiredCodes.has(oobCode)) throw new FirebaseRefusal("EXPIRED_OOB_CODE");
    const mail = this.#openCodes.get(oobCode);
    const account = mail?.requestType === requestType ? this.#find(mail.email) : undefined;
    if (!account) throw new FirebaseRefusal("INVALID_OOB_CODE");
    return account;
  }

  #endRights(account: FirebaseStandInAccount): void {
    for (const tokens of [this.#idTokens, this.#refreshTokens]) {
      for (const [token, owner] of tokens) if (owner === account) tokens.delete(token);
    }
  }

  #find(email: string): FirebaseStandInAccount | undefined {
    return this.byEmail.get(email.toLowerCase());
  }

  /** Now, but never the same instant twice. */
  #nextInstant(): number {
    this.#lastUpdateAt = Math.max(Date.now(), this.#lastUpdateAt + 1);
    return this.#lastUpdateAt;
  }
}
