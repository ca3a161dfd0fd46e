import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { FILE_URL_MINUTES } from "@shared/contract/files.ts";
import { z } from "zod";
import type { ServerDeps } from "../../server-deps.ts";

const LIFETIME_SECONDS = FILE_URL_MINUTES * 60;

/** Derives a key of its own, because tokens are signed with the same secret. */
const KEY_PURPOSE = "signed file addresses";

const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

/**
 * A URL that opens a file for 10 minutes without a token.
 * @param options.secret the server's `JWT_SECRET`
 * @param options.apiUrl scheme and host of the API; relative if absent
 * @param options.admin id of the administrator who gets the URL, for the security log
 */
export function signFileUrl(options: {
  path: string;
  secret: string;
  now: Date;
  apiUrl?: string;
  admin?: string;
}): string {
  const { path, secret, now, apiUrl = "", admin } = options;
  const expires = String(unixSeconds(now) + LIFETIME_SECONDS);
  const signature = signatureOf({ path, expires, secret, admin });
  const query = new URLSearchParams({ ...(admin && { admin }), expires, signature });
  return `${apiUrl.replace(/\/+$/, "")}${path}?${query}`;
}

export function isFileUrlGood(options: {
  path: string;
  expires: string;
  signature: string;
  secret: string;
  now: Date;
  admin?: string | undefined;
}): boolean {
  const { path, expires, signature, secret, now, admin } = options;
  const expected = Buffer.from(signatureOf({ path, expires, secret, admin }));
  const received = Buffer.from(signature);
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return false;
  return unixSeconds(now) < Number(expires);
}

function signatureOf(options: {
  path: string;
  expires: string;
  secret: string;
  admin: string | undefined;
}): string {
  const { path, expires, secret, admin } = options;
  const key = hkdfSync("sha256", secret, "", KEY_PURPOSE, 32);
  return createHmac("sha256", Buffer.from(key))
    .update([path, expires, ...(admin ? [admin] : [])].join("\n"))
    .digest("base64url");
}

export type SignPath = (path: string) => string;

/** @param admin for whom the URLs are, if they may open files of other users */
export function createSignPath(
  deps: {
    settings: Pick<ServerDeps["settings"], "JWT_SECRET" | "VITE_API_URL">;
    now: ServerDeps["now"];
  },
  admin?: { _id: { toString(): string } },
): SignPath {
  const { JWT_SECRET: secret, VITE_API_URL: apiUrl } = deps.settings;
  const reader = admin && { admin: admin._id.toString() };
  return (path) => signFileUrl({ path, secret, apiUrl, now: deps.now(), ...reader });
}

export function withSignedUrl<Entry extends { url: string }>(
  entry: Entry,
  signPath: SignPath,
): Entry {
  return { ...entry, url: signPath(entry.url) };
}

export function withSignedProof<
  Proof extends { url: string; earlier_proof?: { url?: string | undefined } | undefined },
>(proof: Proof, signPath: SignPath): Proof {
  const { earlier_proof: earlier } = proof;
  return {
    ...withSignedUrl(proof, signPath),
    ...(earlier?.url && { earlier_proof: { ...earlier, url: signPath(earlier.url) } }),
  };
}

const fileSchema = z.looseObject({ url: z.string() });
const proofSchema = fileSchema.extend({
  earlier_proof: z.looseObject({ url: z.string().optional() }).optional(),
});
const cardSchema = z.looseObject({ payment_proof: proofSchema });

/** Signs the file URLs of an event when it is delivered. The event log has paths, because signed URLs expire. */
export function signEventFiles(
  event: { name: string; data: unknown },
  signPath: SignPath,
): unknown {
  const { name, data } = event;
  if (name === "proof:submitted") return withSignedProof(proofSchema.parse(data), signPath);
  if (name.startsWith("chart-image:")) return withSignedUrl(fileSchema.parse(data), signPath);
  if (!name.startsWith("user:")) return data;
  const card = cardSchema.safeParse(data).data;
  return card ? { ...card, payment_proof: withSignedProof(card.payment_proof, signPath) } : data;
}
