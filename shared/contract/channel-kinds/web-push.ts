import { z } from "zod";
import { defineChannelKind, REFUSED } from "./define-channel-kind.ts";

const base64url = (bytes: number) =>
  z
    .string()
    .refine((text) => /^[\w-]+=*$/.test(text) && Math.floor((unpadded(text) * 3) / 4) === bytes, {
      error: "This is not a key of a push subscription.",
    });
const unpadded = (text: string): number => text.replace(/=+$/, "").length;

/** `PushSubscription.toJSON()` of a browser. */
export const pushSubscriptionSchema = z.object(
  {
    endpoint: z.string().max(2_048),
    expirationTime: z.number().nullish(),
    keys: z.object({ p256dh: base64url(65), auth: base64url(16) }),
  },
  { error: "The browser's push subscription is missing." },
);
export type PushSubscription = z.infer<typeof pushSubscriptionSchema>;

/** A browser. */
export const webPush = defineChannelKind("web-push", {
  name: "Browser push",
  isSingle: false,
  isForPeople: true,
  gone: REFUSED,
  input: {
    subscription: pushSubscriptionSchema.meta({
      description: "The browser's `PushSubscription` as JSON",
    }),
  },
  target: { subscription: pushSubscriptionSchema },
});
