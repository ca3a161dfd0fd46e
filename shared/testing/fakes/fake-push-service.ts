import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from "node:crypto";
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { PushSubscription } from "@shared/contract/channel-kinds/web-push.ts";
import { z } from "zod";
import { type HttpFake, startHttpFake } from "./fake-http.ts";

/** What a browser gets of a message, with what only its push service sees. */
interface ReceivedPush {
  /** Decrypted. */
  text: string;
  encryptedBytes: number;
  endpoint: string;
  ttlSeconds: number;
  urgency: string;
  topic: string;
  /** Of the sender, from the VAPID token. */
  subject: string;
}

interface FakeAnswer {
  status: number;
  headers?: Record<string, string>;
}

export interface FakePushService extends HttpFake {
  received: ReceivedPush[];
  /** Answers the next messages with these, in order, and later ones with 201. */
  answer(...answers: FakeAnswer[]): void;
  /** Subscribes a browser for messages that are signed with this key. */
  subscribe(applicationServerKey: string): PushSubscription;
  /** Ends all subscriptions: their endpoints are gone. */
  unsubscribeAll(): void;
}

interface Browser {
  keys: ECDH;
  auth: Buffer;
  applicationServerKey: string;
}

/** A push service (RFC 8030) with browsers that decrypt (RFC 8291). It refuses messages that are not signed (RFC 8292). */
export async function startFakePushService(): Promise<FakePushService> {
  const browsers = new Map<string, Browser>();
  const received: ReceivedPush[] = [];
  let answers: FakeAnswer[] = [];
  const fake = await startHttpFake(async (request, response) => {
    const endpoint = `${fake.url}${request.url}`;
    const body = await buffer(request);
    const browser = browsers.get(endpoint);
    if (request.method !== "POST" || !browser) return void response.writeHead(410).end();
    const subject = verifyVapid(request, { audience: fake.url, ...browser });
    if (subject === null) return void response.writeHead(403).end("wrong VAPID token");
    const headers = headersSchema.safeParse(request.headers).data;
    if (!headers) return void response.writeHead(400).end("wrong headers");
    if (body.length > 4_096) return void response.writeHead(413).end();
    const { ttl: ttlSeconds, urgency, topic } = headers;
    const encryptedBytes = body.length;
    const text = decrypt(body, browser);
    received.push({ text, encryptedBytes, endpoint, ttlSeconds, urgency, topic, subject });
    const answer = answers.shift() ?? { status: 201, headers: { location: `${endpoint}/1` } };
    response.writeHead(answer.status, answer.headers).end();
  });
  return {
    ...fake,
    received,
    answer(...next) {
      answers = next;
    },
    subscribe(applicationServerKey) {
      const keys = createECDH("prime256v1");
      const p256dh = keys.generateKeys("base64url");
      const auth = randomBytes(16);
      const endpoint = `${fake.url}/push/${randomBytes(8).toString("hex")}`;
      browsers.set(endpoint, { keys, auth, applicationServerKey });
      return { endpoint, keys: { p256dh, auth: auth.toString("base64url") } };
    },
    unsubscribeAll: () => browsers.clear(),
  };
}

const headersSchema = z.object({
  ttl: z.coerce.number().int().nonnegative(),
  topic: z.string().regex(/^[\w-]{1,32}$/),
  urgency: z.enum(["very-low", "low", "normal", "high"]),
  "content-encoding": z.literal("aes128gcm"),
});
const claimsSchema = z.object({ aud: z.string(), exp: z.number(), sub: z.string() });
const MAX_TOKEN_SECONDS = 86_400;

/** @returns the subject of a valid token, otherwise null */
function verifyVapid(
  { headers }: IncomingMessage,
  { audience, applicationServerKey }: { audience: string; applicationServerKey: string },
): string | null {
  const match = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)$/.exec(
    headers.authorization ?? "",
  );
  const [, header = "", payload = "", signature = "", key = ""] = match ?? [];
  if (key !== applicationServerKey) return null;
  const isSigned = verify(
    "sha256",
    Buffer.from(`${header}.${payload}`),
    { key: publicKeyOf(key), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  const claims = claimsSchema.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
  const secondsLeft = claims.exp - Date.now() / 1_000;
  const isValid = claims.aud === audience && secondsLeft > 0 && secondsLeft <= MAX_TOKEN_SECONDS;
  return isSigned && isValid ? claims.sub : null;
}

function publicKeyOf(point: string) {
  const bytes = Buffer.from(point, "base64url");
  const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((it) => it.toString("base64url"));
  return createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
}

/** Reads the one record of a message: salt, record size, key of the sender, ciphertext and tag. */
function decrypt(body: Buffer, { keys, auth }: Browser): string {
  const salt = body.subarray(0, 16);
  const senderEnd = 21 + (body[20] ?? 0);
  const sender = body.subarray(21, senderEnd);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.getPublicKey(), sender]);
  const secret = derive(keys.computeSecret(sender), { salt: auth, info, bytes: 32 });
  const encoding = (name: string) => Buffer.from(`Content-Encoding: ${name}\0`);
  const key = derive(secret, { salt, info: encoding("aes128gcm"), bytes: 16 });
  const nonce = derive(secret, { salt, info: encoding("nonce"), bytes: 12 });
  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAuthTag(body.subarray(-16));
  const padded = Buffer.concat([decipher.update(body.subarray(senderEnd, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}

const derive = (
  secret: Buffer,
  { salt, info, bytes }: { salt: Buffer; info: Buffer; bytes: number },
): Buffer => Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
