import { z } from "zod";
import { CHANNEL_DISABLED_REASONS } from "./constants.ts";

/** What is wrong with a channel: why it was turned off, or `not-delivered`: a message takes longer than a minute, or failed. */
export const channelProblemSchema = z.object({
  reason: z.enum([...CHANNEL_DISABLED_REASONS, "not-delivered"]),
  at: z.iso.datetime(),
});
export type ChannelProblemReason = z.infer<typeof channelProblemSchema>["reason"];

/** A problem that its user has not seen. */
export const unseenProblemSchema = channelProblemSchema.extend({
  channel_id: z.string(),
  label: z.string(),
});
export type UnseenProblem = z.infer<typeof unseenProblemSchema>;

/** Problems up to this time have been seen. */
export const seenChannelProblemsSchema = z
  .object({ until: z.iso.datetime({ error: "Use the time of a problem." }) })
  .meta({ id: "SeenChannelProblems" });
