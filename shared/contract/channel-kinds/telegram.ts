import { z } from "zod";
import { defineChannelKind, REFUSED } from "./define-channel-kind.ts";

/** In which the code of a Telegram link has to arrive. */
export const TELEGRAM_LINK_MINUTES = 10;

/** A chat with the bot, known once the user has opened the link. */
export const telegram = defineChannelKind("telegram", {
  name: "Telegram",
  isSingle: true,
  isForPeople: true,
  gone: REFUSED,
  input: {},
  target: { chatId: z.string() },
});
