import { createHmac } from "node:crypto";
import {
  type ChannelTarget,
  channelTargetSchema,
} from "@shared/contract/channel-kinds/channel-kinds.ts";
import { SecretBox } from "@shared/runtime/secret-box.ts";

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

  /**
   * A token that turns off, without a login, the channel with this id or the monthly email of the user with it. It does not
   * expire.
   */
  unsubscribeToken(id: string): string {
    return this.#tokens.seal(id);
  }

  /** The id; null if the token is not one of ours. */
  readUnsubscribeToken(token: string): string | null {
    return this.#tokens.open(token);
  }
}
