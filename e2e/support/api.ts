import { randomUUID } from "node:crypto";
import { type Session, sessionSchema } from "@shared/contract/account.ts";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { z } from "zod";
import { apiUrl } from "./config.ts";

/** The administrator whom `playwright.config.ts` lets the product make. */
export const ADMIN = { username: "admin", password: "browser-test-admin" } as const;
export const PASSWORD = "secret-123";

let admin: Promise<Session> | undefined;

/** For tests that end it. */
export const newAdminSession = (): Promise<Session> =>
  expectAnswer(sessionSchema, `${apiUrl}/login`, { body: ADMIN });

/** One session of the administrator for all tests of this process. */
export function adminSession(): Promise<Session> {
  admin ??= newAdminSession();
  return admin;
}

/** One of the administrator's calls, by default without a form. */
export async function actAsAdmin(path: string, form?: Record<string, string>): Promise<void> {
  const { token } = await adminSession();
  await expectAnswer(z.unknown(), apiUrl + path, { token, body: new URLSearchParams(form) });
}

export async function savePaymentDetails(details: Record<string, string>): Promise<void> {
  const { token } = await adminSession();
  const none = { bank_details_1: "", bank_details_2: "", bank_details_3: "" };
  const empty = { ...none, paypal_details: "", skrill_details: "", wise_details: "" };
  const body = { ...empty, ...details };
  await expectAnswer(z.unknown(), `${apiUrl}/admin/update-payment-details`, { token, body });
}

interface TraderTraits {
  approved?: boolean;
  /** May attach chart images, and has that many credits for them. */
  imageCredits?: number;
}

/** Registers a trader with a new name, who waits for approval unless `traits` says otherwise. */
export async function makeTrader(traits: TraderTraits = {}): Promise<Session> {
  const username = `trader-${randomUUID().slice(0, 8)}`;
  const body = { username, email: `${username}@example.com`, password: PASSWORD };
  const session = await expectAnswer(sessionSchema, `${apiUrl}/register`, { body });
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
  const body = multipartForm({ sender_name: proof.senderName, proof_image: proof.image });
  await expectAnswer(z.unknown(), `${apiUrl}/submit-payment-proof`, { token, body });
}

export function makeSignal(
  { token }: Session,
  { symbol, chartImage }: { symbol: string; chartImage?: Buffer },
): Promise<SignalResponse> {
  const request = { symbol, timeframe: "1h" };
  const path = chartImage ? "/get-signal-with-image" : "/get-signal";
  const body = chartImage ? multipartForm({ ...request, chart_image: chartImage }) : request;
  return expectAnswer(signalResponseSchema, apiUrl + path, { token, body });
}
