import { z } from "zod";
import { addressSchema, defineChannelKind, REFUSED } from "./define-channel-kind.ts";
import { formatFields, storedFormatFields } from "./webhook-formats.ts";

/** In which a replaced secret of a webhook still signs beside the new one. */
export const SECRET_OVERLAP_HOURS = 24;

/** A program of the user. */
export const webhook = defineChannelKind("webhook", {
  name: "Webhook",
  isSingle: false,
  isForPeople: false,
  gone: REFUSED,
  input: { url: addressSchema.meta({ description: "A public https address" }), ...formatFields },
  target: {
    ...storedFormatFields,
    url: z.string(),
    secret: z.string(),
    /** Also signs until `until`, in Unix milliseconds. */
    previous: z.object({ secret: z.string(), until: z.number() }).optional(),
  },
});
