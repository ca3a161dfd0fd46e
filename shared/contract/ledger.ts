import { z } from "zod";
import { INSTRUMENT_CLASSES } from "./instruments.ts";
import { timeframeSchema } from "./market-data.ts";
import { resolutionSchema } from "./resolution.ts";
import { signalKindSchema, signalSourceSchema } from "./signal.ts";

/** Entries per page. */
export const LEDGER_PAGE = { default: 100, max: 500 } as const;

/** `prev_hash` of the first record. */
export const GENESIS_HASH = "0".repeat(64);

export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: "must be 64 lower-case hex digits" });

const seqSchema = z.number().int().positive();

/** The arm of the bench that made a shadow analysis, which no user got and no other record counts. */
const armSchema = z.string().min(1).max(64).optional();

/** All values from which performance is computed. Prices are in the quote currency, confidences 0 to 100. */
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
  candles_sha256: sha256Schema.nullable(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  arm: armSchema,
});
export type LedgerFigures = z.infer<typeof ledgerFiguresSchema>;

/** Opens a commitment: the SHA-256 of the salt and the canonical JSON of the figures. */
const ledgerRevealSchema = z.strictObject({
  salt: sha256Schema,
  figures: ledgerFiguresSchema,
});

/** Present in records of the demo record, which are made of recorded candles long after these. */
const demoRecordSchema = signalSourceSchema.shape.demo_record;

/** A finished market analysis. Its figures are hidden until the trade can no longer be entered. */
const analysisBodySchema = z.strictObject({
  data: signalSourceSchema.shape.data,
  figures_commitment: sha256Schema,
  demo_record: demoRecordSchema,
  arm: armSchema,
});

const outcomeBodySchema = z.strictObject({
  analysis_seq: seqSchema,
  demo_record: demoRecordSchema,
  arm: armSchema,
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

/** A record with its reveal. One line of the downloaded ledger. */
export const ledgerEntrySchema = z
  .strictObject({
    record: ledgerRecordSchema,
    reveal: ledgerRevealSchema.nullable(),
  })
  .meta({ id: "LedgerEntry" });
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** The last record; 0 and the genesis hash if the ledger is empty. */
export const ledgerHeadSchema = z
  .object({
    seq: z.number().int().nonnegative(),
    hash: sha256Schema,
    at: z.iso.datetime().nullable(),
  })
  .meta({ id: "LedgerHead" });
export type LedgerHead = z.infer<typeof ledgerHeadSchema>;

/** `next_after` is null on the last page. */
export const ledgerPageSchema = z
  .object({
    entries: z.array(ledgerEntrySchema),
    next_after: z.number().int().positive().nullable(),
    head: ledgerHeadSchema,
  })
  .meta({ id: "LedgerPage" });
export type LedgerPage = z.infer<typeof ledgerPageSchema>;

/** `opentimestamps`: a calendar whose proof leads to a Bitcoin block. `git`: a repository. `webhook`: a service. */
export const WITNESS_KINDS = ["opentimestamps", "git", "webhook"] as const;
export type WitnessKind = (typeof WITNESS_KINDS)[number];

/** `pending`: a calendar has the head, but Bitcoin does not yet. */
const WITNESS_STATUSES = ["pending", "complete"] as const;
export type WitnessStatus = (typeof WITNESS_STATUSES)[number];

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
  /** URL of the calendar, or of a repository with an https URL. */
  url: z.url().nullable(),
  status: z.enum(WITNESS_STATUSES),
  /** Time when the status was reached. */
  at: z.iso.datetime(),
  bitcoin_block: z.number().int().nonnegative().nullable(),
  commit: z.string().nullable(),
});
export type HeadWitness = z.infer<typeof headWitnessSchema>;

const witnessedHeadSchema = publishedHeadSchema
  .extend({
    witnesses: z.array(headWitnessSchema),
  })
  .meta({ id: "WitnessedHead" });
export type WitnessedHead = z.infer<typeof witnessedHeadSchema>;

/** `next_before` is null on the last page. */
export const ledgerHeadsSchema = z
  .object({
    heads: z.array(witnessedHeadSchema),
    next_before: z.iso.date().nullable(),
  })
  .meta({ id: "LedgerHeads" });
export type LedgerHeads = z.infer<typeof ledgerHeadsSchema>;
