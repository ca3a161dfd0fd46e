import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import {
  FirebaseRefusal,
  type FirebaseStandInAccount,
  FirebaseStandInAccounts,
  type FirebaseStandInMail,
} from "./stand-in-firebase-accounts.ts";
import {
  type HttpStandIn,
  readText,
  sendHtml,
  sendJson,
  stallBody,
  startHttpStandIn,
} from "./stand-in-http.ts";

/** How a call fails before Firebase does anything. */
type RefusedCall =
  | { kind: "refusal"; message: string; status?: number }
  | { kind: "status"; status: number }
  | { kind: "html" }
  | { kind: "nonsense" }
  | { kind: "stalled-headers" }
  | { kind: "stalled-body" }
  | { kind: "down" };

/** How a call fails. `lost-answer`: Firebase does what was asked, and the connection breaks. */
export type FirebaseFailure = RefusedCall | { kind: "lost-answer" };

/** The calls that can be made to fail. */
export type FirebaseCall =
  | "accounts:signUp"
  | "accounts:signInWithPassword"
  | "accounts:lookup"
  | "accounts:sendOobCode"
  | "accounts:resetPassword"
  | "accounts:update"
  | "accounts:delete"
  | "token";

export interface StandInFirebase extends HttpStandIn {
  /** What to give as FIREBASE_API_KEY. */
  apiKey: string;
  /** The calls made so far, by name, in order. */
  readonly calls: readonly string[];
  readonly mails: readonly FirebaseStandInMail[];
  account(email: string): FirebaseStandInAccount | undefined;
  /** Sets a password as its owner does on Firebase's own page. */
  setPassword(email: string, password: string): void;
  expire(oobCode: string): void;
  /** Whether an unknown address is answered as a known one is. */
  hideAddresses(hides: boolean): void;
  /** Lets each request of a call fail from now on, until `reset`. */
  fail(call: FirebaseCall, failure: FirebaseFailure): void;
  /** Lets all calls succeed again, and forgets which were made; the accounts stay. */
  reset(): void;
}

const API_KEY = "key-of-the-stand-in";
const PATH = /^\/v1\/(accounts:\w+|token)$/;

/** Starts a stand-in for Firebase Authentication: its Identity Toolkit and its token service, in their real shapes. */
export async function startStandInFirebase(): Promise<StandInFirebase> {
  const accounts = new FirebaseStandInAccounts();
  const failures = new Map<string, FirebaseFailure>();
  const calls: string[] = [];
  const server = await startHttpStandIn(async (request, response) => {
    const url = new URL(request.url ?? "", "http://stand-in");
    const name = PATH.exec(url.pathname)?.[1] ?? "";
    const act = accounts.calls[name];
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
    account: (email) => accounts.byEmail.get(email.toLowerCase()),
    setPassword: (email, password) => {
      const account = accounts.byEmail.get(email.toLowerCase());
      if (account) accounts.setPassword(account, password);
    },
    expire: (oobCode) => accounts.expire(oobCode),
    hideAddresses: (hides) => {
      accounts.hidesAddresses = hides;
    },
    fail: (call, failure) => void failures.set(call, failure),
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

function answerOf(
  act: (request: unknown) => object,
  request: unknown,
): { status: number; body: object } {
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
    case "html":
      return sendHtml(response);
    case "nonsense":
      return sendJson(response, { kind: "identitytoolkit#Nonsense" });
    case "stalled-headers":
      return;
    case "stalled-body":
      return stallBody(response);
    case "down":
      response.destroy();
  }
}

function refuse(response: ServerResponse, message: string, status = 400): void {
  sendJson(response, refusal(message, status), status);
}

function refusal(message: string, code = 400) {
  const errors = [{ message, domain: "global", reason: "invalid" }];
  return { error: { code, message, errors } };
}
