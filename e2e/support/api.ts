import { randomUUID } from "node:crypto";
import { type Session, sessionSchema } from "@shared/contract/account.ts";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import { apiUrl } from "./config.ts";

/** The administrator whom `playwright.config.ts` lets the product make. */
export const ADMIN = { username: "admin", password: "browser-test-admin" } as const;
export const PASSWORD = "secret-123";

interface Call {
  method?: "GET" | "POST";
  token?: string;
  json?: object;
  form?: FormData | URLSearchParams;
}

/** What a test needs to find but does not test is made over REST: that is many times quicker than by clicks. */
async function call(path: string, { method = "POST", token, json, form }: Call): Promise<unknown> {
  const headers = new Headers();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  if (json) headers.set("Content-Type", "application/json");
  const body = json ? JSON.stringify(json) : (form ?? null);
  const answer = await fetch(apiUrl + path, { method, headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

const logInOverRest = async (user: { username: string; password: string }) =>
  sessionSchema.parse(await call("/login", { json: user }));

let admin: Promise<Session> | undefined;

/** One session of the administrator for all tests of this process. */
export function adminSession(): Promise<Session> {
  admin ??= logInOverRest(ADMIN);
  return admin;
}

/** One of the administrator's calls without a body, or with a form. */
export async function actAsAdmin(path: string, form?: Record<string, string>): Promise<void> {
  const { token } = await adminSession();
  await call(path, { token, ...(form && { form: new URLSearchParams(form) }) });
}

export async function savePaymentDetails(details: Record<string, string>): Promise<void> {
  const { token } = await adminSession();
  const none = { bank_details_1: "", bank_details_2: "", bank_details_3: "" };
  const empty = { ...none, paypal_details: "", skrill_details: "", wise_details: "" };
  await call("/admin/update-payment-details", { token, json: { ...empty, ...details } });
}

interface TraderTraits {
  approved?: boolean;
  /** May attach chart images, and has that many credits for them. */
  imageCredits?: number;
}

/** Registers a trader with a new name, who waits for approval unless `traits` says otherwise. */
export async function makeTrader(traits: TraderTraits = {}): Promise<Session> {
  const username = `trader-${randomUUID().slice(0, 8)}`;
  const json = { username, email: `${username}@example.com`, password: PASSWORD };
  const session = sessionSchema.parse(await call("/register", { json }));
  const { approved = false, imageCredits } = traits;
  if (approved) await actAsAdmin(`/admin/approve/${username}`);
  if (imageCredits !== undefined) {
    await actAsAdmin(`/admin/set-image-access/${username}`, { allow: "true" });
    const credits = String(imageCredits);
    await actAsAdmin(`/admin/grant-image-credits/${username}`, { credits });
  }
  return { ...session, approved };
}

export async function submitProof(
  { token }: Session,
  proof: { senderName: string; image: Buffer },
): Promise<void> {
  const form = new FormData();
  form.set("sender_name", proof.senderName);
  form.set("proof_image", new Blob([Uint8Array.from(proof.image)]), "proof.png");
  await call("/submit-payment-proof", { token, form });
}

interface SignalRequestOptions {
  symbol: string;
  timeframe?: string;
  chartImage?: Buffer;
}

export async function makeSignal(
  { token }: Session,
  options: SignalRequestOptions,
): Promise<SignalResponse> {
  const { symbol, timeframe = "1h", chartImage } = options;
  if (!chartImage) {
    const json = { symbol, timeframe };
    return signalResponseSchema.parse(await call("/get-signal", { token, json }));
  }
  const form = new FormData();
  form.set("symbol", symbol);
  form.set("timeframe", timeframe);
  form.set("chart_image", new Blob([Uint8Array.from(chartImage)]), "chart.png");
  return signalResponseSchema.parse(await call("/get-signal-with-image", { token, form }));
}
