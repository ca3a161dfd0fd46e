import { randomUUID } from "node:crypto";
import { type Session, sessionSchema } from "@shared/contract/account.ts";
import { channelListSchema, channelSchema } from "@shared/contract/channels.ts";
import { INSTRUMENTS } from "@shared/contract/instruments.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import type { PlanId } from "@shared/contract/plans.ts";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
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
  username?: string;
  approved?: boolean;
  /** May attach chart images, and has that many credits for them. */
  imageCredits?: number;
}

/** Registers a trader with a new name, who waits for approval unless `traits` says otherwise. */
export async function makeTrader(traits: TraderTraits = {}): Promise<Session> {
  const { username = `trader-${randomUUID().slice(0, 8)}` } = traits;
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

/** A multipart form with a PNG. */
function formWith(image: { name: string; bytes: Buffer }, texts: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.append(name, text);
  const file = new Blob([new Uint8Array(image.bytes)], { type: "image/png" });
  form.append(image.name, file, "image.png");
  return form;
}

export async function submitProof(
  { token }: Session,
  { senderName, image, plan }: { senderName: string; image: Buffer; plan?: PlanId },
): Promise<void> {
  const texts = { sender_name: senderName, ...(plan && { plan }) };
  const body = formWith({ name: "proof_image", bytes: image }, texts);
  await expectAnswer(z.unknown(), `${apiUrl}/submit-payment-proof`, { token, body });
}

/** Adds a channel with the trader's email address, and sends a test message to it. @returns its id */
export async function addEmailChannel({ token }: Session): Promise<string> {
  const url = `${apiUrl}/channels`;
  const { id } = await expectAnswer(channelSchema, url, { token, body: { kind: "email" } });
  await expectAnswer(z.unknown(), `${url}/${id}/test`, { token, body: {} });
  return id;
}

export async function isChannelOn({ token }: Session, channelId: string): Promise<boolean> {
  const { channels } = await expectAnswer(channelListSchema, `${apiUrl}/channels`, { token });
  return channels.some(({ id, enabled }) => id === channelId && enabled);
}

export async function turnChannelOn({ token }: Session, id: string): Promise<void> {
  const change = { method: "PATCH", token, body: { enabled: true } };
  await expectAnswer(channelSchema, `${apiUrl}/channels/${id}`, change);
}

interface AskedSignal {
  symbol: string;
  timeframe?: Timeframe;
  chartImage?: Buffer;
}

export function makeSignal(
  { token }: Session,
  { symbol, timeframe = "1h", chartImage }: AskedSignal,
): Promise<SignalResponse> {
  const request = { symbol, timeframe };
  const path = chartImage ? "/get-signal-with-image" : "/get-signal";
  const body = chartImage ? formWith({ name: "chart_image", bytes: chartImage }, request) : request;
  return expectAnswer(signalResponseSchema, apiUrl + path, { token, body });
}

/** Makes signals of one market after the other until one is a trade, which stays open while a test runs: its candles are days. */
export async function makeTrade(trader: Session): Promise<SignalResponse> {
  for (const { symbol } of INSTRUMENTS) {
    const signal = await makeSignal(trader, { symbol, timeframe: "1d" });
    if (signal.analysis?.entry) return signal;
  }
  throw new Error("No market has a trade.");
}

export async function watchMarket({ token }: Session, symbol: string): Promise<void> {
  const body = { symbol, timeframe: "1h" };
  await expectAnswer(z.unknown(), `${apiUrl}/watchlist`, { token, body });
}

/** A channel to which nothing is sent in the test. */
export async function addWebhook({ token }: Session): Promise<void> {
  const body = { kind: "webhook", url: "http://localhost:9/hook", events: [] };
  await expectAnswer(z.unknown(), `${apiUrl}/channels`, { token, body });
}
