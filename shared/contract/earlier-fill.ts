import { MINUTE_MS } from "./constants.ts";

/**
 * Whether a trade was entered before a user asked for its signal: an analysis may be older than their request. A fill is
 * dated by the start of its minute, so that the minute has to be over. Both are ISO times or dates.
 */
export const isFilledBefore = (filledAt: Date | string, askedAt: Date | string): boolean =>
  new Date(filledAt).getTime() + MINUTE_MS <= new Date(askedAt).getTime();
