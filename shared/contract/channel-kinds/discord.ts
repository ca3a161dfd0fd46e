import { z } from "zod";
import { addressSchema, defineChannelKind } from "./define-channel-kind.ts";

/** A channel of a Discord server, by an incoming webhook that somebody has made there. */
export const discord = defineChannelKind("discord", {
  name: "Discord",
  isSingle: false,
  isForPeople: true,
  gone: {
    reason: "its webhook was deleted in Discord",
    remedy: "Make a new one there, and add it as a new channel.",
  },
  input: {
    url: addressSchema.meta({
      description: "`https://discord.com/api/webhooks/<id>/<token>`, which is shown in no response",
    }),
  },
  target: { url: z.string() },
});
