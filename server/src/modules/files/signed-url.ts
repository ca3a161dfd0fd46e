import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { FILE_URL_MINUTES } from "@shared/contract/files.ts";
import { z } from "zod";
import type { ServerDeps } from "../../server-deps.ts";

const LIFETIME_SECONDS = FILE_URL_MINUTES * 60;

/** The key is of these addresses alone: a signature says nothing about tokens, which are made with the same secret. */
const KEY_PURPOSE = "signed file addresses";

const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

/**
 * The address of a file for whoever may see it, good for 10 minutes without a token.
 * @param options.path as `filePath` gives it
 * @param options.secret the server's `JWT_SECRET`
 * @param options.apiUrl scheme and host of the API; without it, the address has none
 */
export function signFileUrl(options: {
  path: string;
  secret: string;
  now: Date;
  apiUrl?: string;
}): string {
  const { path, secret, now, apiUrl = "" } = options;
  const expires = String(unixSeconds(now) + LIFETIME_SECONDS);
  const signature = signatureOf({ path, expires, secret });
  return `${apiUrl.replace(/\/+$/, "")}${path}?${new URLSearchParams({ expires, signature })}`;
}

/** Whether `signFileUrl` has made an address of this path with these parameters, and it is still good. */
export function isFileUrlGood(options: {
  path: string;
  expires: string;
  signature: string;
  secret: string;
  now: Date;
}): boolean {
  const { path, expires, signature, secret, now } = options;
  const expected = Buffer.from(signatureOf({ path, expires, secret }));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return unixSeconds(now) < Number(expires);
}

function signatureOf(options: { path: string; expires: string; secret: string }): string {
  const { path, expires, secret } = options;
  const key = hkdfSync("sha256", secret, "", KEY_PURPOSE, 32);
  return createHmac("sha256", Buffer.from(key)).update(`${path}\n${expires}`).digest("base64url");
}

/** Makes a file's bare path into an address that its reader can open for 10 minutes. */
export type SignPath = (path: string) => string;

/** The signing of this server's files; the address is absolute. */
export function createSignPath(deps: {
  settings: Pick<ServerDeps["settings"], "JWT_SECRET" | "VITE_API_URL">;
  now: ServerDeps["now"];
}): SignPath {
  const { JWT_SECRET: secret, VITE_API_URL: apiUrl } = deps.settings;
  return (path) => signFileUrl({ path, secret, apiUrl, now: deps.now() });
}

/** `entry` with an address that can be opened in the place of the bare path. */
export function withSignedUrl<Entry extends { url: string }>(
  entry: Entry,
  signPath: SignPath,
): Entry {
  return { ...entry, url: signPath(entry.url) };
}

const fileSchema = z.looseObject({ url: z.string() });
const cardSchema = z.looseObject({ payment_proof: fileSchema });

/**
 * The data of an event as it is delivered. The log holds bare paths, since an address that is good for 10 minutes would
 * be stale by the time a browser that was away reads the event.
 */
export function signEventFiles(
  event: { name: string; data: unknown },
  signPath: SignPath,
): unknown {
  const { name, data } = event;
  if (name === "proof:submitted" || name.startsWith("chart-image:")) {
    return withSignedUrl(fileSchema.parse(data), signPath);
  }
  if (!name.startsWith("user:")) return data;
  const card = cardSchema.safeParse(data).data;
  return card ? { ...card, payment_proof: withSignedUrl(card.payment_proof, signPath) } : data;
}
