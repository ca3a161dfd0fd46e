import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { pushSubscriptionSchema } from "@shared/contract/channels.ts";
import { z } from "zod";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM and a key that HKDF derives from the server's secret. */
export class SecretBox {
  readonly #key: Buffer;

  /** @param options a box cannot open what one with another `purpose` has sealed */
  constructor(options: { secret: string; purpose: string }) {
    const { secret, purpose } = options;
    this.#key = Buffer.from(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));
  }

  seal(text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Returns null if the text was sealed with another secret or changed. */
  open(sealed: string): string | null {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < IV_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }
}

/** Where the messages of a channel go, with the secrets for it. */
const channelTargetSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("email") }),
  z.object({ kind: z.literal("telegram"), chatId: z.string() }),
  z.object({ kind: z.literal("web-push"), subscription: pushSubscriptionSchema }),
  z.object({
    kind: z.literal("webhook"),
    url: z.string(),
    secret: z.string(),
    /** Also signs until `until`, in Unix milliseconds. */
    previous: z.object({ secret: z.string(), until: z.number() }).optional(),
  }),
]);
export type ChannelTarget = z.infer<typeof channelTargetSchema>;

/** Encrypts the targets of channels at rest, and makes the tokens of unsubscribe links. */
export class ChannelSecrets {
  readonly #targets: SecretBox;
  readonly #tokens: SecretBox;
  readonly #chatKey: string;

  /** @param secret `JWT_SECRET`, from which keys of their own are derived */
  constructor(secret: string) {
    this.#targets = new SecretBox({ secret, purpose: "channel targets" });
    this.#tokens = new SecretBox({ secret, purpose: "unsubscribe links" });
    this.#chatKey = `telegram chats ${secret}`;
  }

  seal(target: ChannelTarget): string {
    return this.#targets.seal(JSON.stringify(target));
  }

  /** Returns null if it was sealed with another `JWT_SECRET`. */
  open(sealed: string): ChannelTarget | null {
    const text = this.#targets.open(sealed);
    return text === null ? null : channelTargetSchema.parse(JSON.parse(text));
  }

  /** Finds the channel of a Telegram chat. Keyed, since ids of chats can be guessed. */
  hashChat(chatId: string): string {
    return createHmac("sha256", this.#chatKey).update(chatId).digest("hex");
  }

  /** A token that turns off one channel without a login. It does not expire. */
  unsubscribeToken(channelId: string): string {
    return this.#tokens.seal(channelId);
  }

  /** Id of the channel; null if the token is not one of ours. */
  readUnsubscribeToken(token: string): string | null {
    return this.#tokens.open(token);
  }
}
