import { z } from "zod";
import { MESSAGES } from "./constants.ts";
import { planIdSchema } from "./subscription.ts";

/** Maximum size of an upload in bytes. */
export const MAX_UPLOAD_BYTES = 5 * 1_024 * 1_024;

/** Lifetime of a signed URL in minutes. */
export const FILE_URL_MINUTES = 10;

/** Accepted images, detected from their bytes. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** Of a payment in USDT. Empty if there is none. */
const transactionHashSchema = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^((0x)?[0-9a-f]{64})?$/, {
    error: "Enter the transaction hash: 64 digits and letters from a to f.",
  });

export const proofFormSchema = z
  .object({
    sender_name: z
      .string({ error: MESSAGES.proofIncomplete })
      .trim()
      .min(1, { error: MESSAGES.proofIncomplete })
      .max(100, { error: "Use at most 100 characters for the sender name." })
      .regex(/^[ -~\u00a0-\uffff]+$/, { error: "Use a sender name of one line." }),
    plan: planIdSchema.optional(),
    transaction_hash: transactionHashSchema.optional(),
  })
  .meta({ id: "ProofForm" });

/** `size` is in bytes. */
export const chartImageSchema = z
  .object({
    filename: z.string(),
    size: z.number().int(),
    modified: z.iso.datetime(),
    url: z.string(),
    username: z.string(),
  })
  .meta({ id: "ChartImage" });
export type ChartImage = z.infer<typeof chartImageSchema>;

export const chartImageListSchema = z
  .object({ images: z.array(chartImageSchema) })
  .meta({ id: "ChartImageList" });
export type ChartImageList = z.infer<typeof chartImageListSchema>;

export const cleanupResultSchema = z
  .object({
    detail: z.string(),
    deleted: z.number().int().nonnegative(),
  })
  .meta({ id: "CleanupResult" });
export type CleanupResult = z.infer<typeof cleanupResultSchema>;

/** Spreadsheets read a text that starts like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One line of a CSV file (RFC 4180). */
export const csvLine = (cells: readonly (string | number | boolean | null)[]): string =>
  `${cells.map(csvCell).join(",")}\r\n`;

function csvCell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
