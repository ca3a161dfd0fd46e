import { z } from "zod";
import { sha256Schema } from "./ledger.ts";

/**
 * Kinds of witnesses. `opentimestamps`: a calendar whose proof leads to a Bitcoin block. `git`: a repository. `webhook`:
 * a service that gets the head as JSON.
 */
export const WITNESS_KINDS = ["opentimestamps", "git", "webhook"] as const;
export type WitnessKind = (typeof WITNESS_KINDS)[number];

/** `pending`: a calendar has the head, Bitcoin does not yet. `complete`: nothing more will happen. */
export const WITNESS_STATUSES = ["pending", "complete"] as const;
export type WitnessStatus = (typeof WITNESS_STATUSES)[number];

/** Heads of one page by default and at most. */
export const LEDGER_HEADS_PAGE = { default: 10, max: 100 } as const;

/** The ledger's head as it was published for one day in UTC, such as `2025-01-31`. */
export const publishedHeadSchema = z.object({
  day: z.iso.date(),
  seq: z.number().int().positive(),
  hash: sha256Schema,
  at: z.iso.datetime(),
});
export type PublishedHead = z.infer<typeof publishedHeadSchema>;

/** A witness that has a head. */
export const headWitnessSchema = z.object({
  kind: z.enum(WITNESS_KINDS),
  /** Address of the calendar, or of a repository with an https address; otherwise null. */
  url: z.url().nullable(),
  status: z.enum(WITNESS_STATUSES),
  /** When the status was reached. */
  at: z.iso.datetime(),
  /** Height of the Bitcoin block that the proof leads to. */
  bitcoin_block: z.number().int().nonnegative().nullable(),
  /** Id of a commit that holds the head. */
  commit: z.string().nullable(),
});
export type HeadWitness = z.infer<typeof headWitnessSchema>;

export const witnessedHeadSchema = publishedHeadSchema.extend({
  witnesses: z.array(headWitnessSchema),
});
export type WitnessedHead = z.infer<typeof witnessedHeadSchema>;

/** Response of `GET /ledger/heads`: newest first; `next_before` is null on the last page. */
export const ledgerHeadsSchema = z.object({
  heads: z.array(witnessedHeadSchema),
  next_before: z.iso.date().nullable(),
});
export type LedgerHeads = z.infer<typeof ledgerHeadsSchema>;
