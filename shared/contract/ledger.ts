import { z } from "zod";
import { timeframeSchema } from "./candle.ts";
import { INSTRUMENT_CLASSES } from "./instruments.ts";
import { resolutionSchema } from "./resolution.ts";
import { signalKindSchema, signalSourceSchema } from "./signal.ts";

/** Entries of a page. */
export const LEDGER_PAGE = { default: 100, max: 500 } as const;

/** `prev_hash` of the first record. */
export const GENESIS_HASH = "0".repeat(64);

export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: "must be 64 lower-case hex digits" });

const seqSchema = z.number().int().positive();

/**
 * Figures that the record of an analysis commits to. Prices are in the quote currency, confidences 0 to 100, times in
 * UTC.
 */
const ledgerFiguresSchema = z.looseObject({
  symbol: z.string(),
  timeframe: timeframeSchema,
  class: z.enum(INSTRUMENT_CLASSES),
  final_signal: signalKindSchema,
  entry: z.number().nullable(),
  stop_loss: z.number().nullable(),
  take_profit: z.number().nullable(),
  confidence: z.number(),
  calibrated_confidence: z.number().nullable(),
  suggested_hold: z.string(),
  hold_candles: z.number().int().positive().nullable(),
  valid_until: z.iso.datetime().nullable(),
  analyst: signalSourceSchema.shape.analyst,
  analyst_version: z.string().nullable(),
  model: z.string(),
  data: signalSourceSchema.shape.data,
  provider: z.string(),
  price: z.number().nullable(),
  last_candle_at: z.iso.datetime().nullable(),
  /** Hash of the candles of the analysis. */
  candles_sha256: sha256Schema.nullable(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
});
export type LedgerFigures = z.infer<typeof ledgerFiguresSchema>;

/** Opens a commitment: `figures_commitment` is the SHA-256 of the salt and the canonical JSON of the figures. */
const ledgerRevealSchema = z.strictObject({
  salt: sha256Schema,
  figures: ledgerFiguresSchema,
});

/** A finished market analysis. Its figures are hidden while the trade can be made. */
const analysisBodySchema = z.strictObject({
  data: signalSourceSchema.shape.data,
  figures_commitment: sha256Schema,
});

/** The market resolved the trade of record `analysis_seq`. */
const outcomeBodySchema = z.strictObject({
  analysis_seq: seqSchema,
  ...resolutionSchema.shape,
});

const envelope = {
  seq: seqSchema,
  at: z.iso.datetime(),
  prev_hash: sha256Schema,
  /** SHA-256 of the canonical JSON (RFC 8785) of all other fields. */
  hash: sha256Schema,
};

const ledgerRecordSchema = z.discriminatedUnion("kind", [
  z.strictObject({ ...envelope, kind: z.literal("analysis"), body: analysisBodySchema }),
  z.strictObject({ ...envelope, kind: z.literal("outcome"), body: outcomeBodySchema }),
]);
export type LedgerRecord = z.infer<typeof ledgerRecordSchema>;

/** A record, and the opening of its commitment once it is public. One line of the downloaded ledger. */
export const ledgerEntrySchema = z.strictObject({
  record: ledgerRecordSchema,
  reveal: ledgerRevealSchema.nullable(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** Number and hash of the last record; 0 and the genesis hash if the ledger is empty. */
export const ledgerHeadSchema = z.object({
  seq: z.number().int().nonnegative(),
  hash: sha256Schema,
  at: z.iso.datetime().nullable(),
});
export type LedgerHead = z.infer<typeof ledgerHeadSchema>;

/** Answer of `GET /ledger`: the records after `after`, oldest first; `next_after` is null on the last page. */
export const ledgerPageSchema = z.object({
  entries: z.array(ledgerEntrySchema),
  next_after: z.number().int().positive().nullable(),
  head: ledgerHeadSchema,
});
export type LedgerPage = z.infer<typeof ledgerPageSchema>;

/**
 * `opentimestamps`: a calendar with a proof in a Bitcoin block. `git`: a repository. `webhook`: a service that
 * receives the head as JSON.
 */
export const WITNESS_KINDS = ["opentimestamps", "git", "webhook"] as const;
export type WitnessKind = (typeof WITNESS_KINDS)[number];

/** `pending`: in a calendar, but not in Bitcoin yet. */
export const WITNESS_STATUSES = ["pending", "complete"] as const;
export type WitnessStatus = (typeof WITNESS_STATUSES)[number];

/** Heads of a page. */
export const LEDGER_HEADS_PAGE = { default: 10, max: 100 } as const;

/** The head as published for one day in UTC, such as `2025-01-31`. */
export const publishedHeadSchema = z.object({
  day: z.iso.date(),
  seq: z.number().int().positive(),
  hash: sha256Schema,
  at: z.iso.datetime(),
});
export type PublishedHead = z.infer<typeof publishedHeadSchema>;

const headWitnessSchema = z.object({
  kind: z.enum(WITNESS_KINDS),
  /** Address of the calendar or repository, if it is public. */
  url: z.url().nullable(),
  status: z.enum(WITNESS_STATUSES),
  at: z.iso.datetime(),
  /** Height of the Bitcoin block. */
  bitcoin_block: z.number().int().nonnegative().nullable(),
  /** Id of the commit. */
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
