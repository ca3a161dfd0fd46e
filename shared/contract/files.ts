import { z } from "zod";
import { MESSAGES } from "./messages.ts";

/** Largest file that may be uploaded, in bytes. */
export const MAX_UPLOAD_BYTES = 5 * 1_024 * 1_024;

/** How long the signed address of a file is valid. */
export const FILE_URL_MINUTES = 10;

/** Retention of chart images. */
export const CHART_IMAGE_DAYS = 30;

/** Accepted image types, by content. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** Text fields of `POST /submit-payment-proof`; the image is in `proof_image`. */
export const proofFormSchema = z.object({
  sender_name: z
    .string({ error: MESSAGES.proofIncomplete })
    .trim()
    .min(1, { error: MESSAGES.proofIncomplete })
    .max(100, { error: "Use at most 100 characters for the sender name." })
    .regex(/^[ -~\u00a0-\uffff]+$/, { error: "Use a sender name of one line." }),
});
export type ProofForm = z.infer<typeof proofFormSchema>;

/** A chart image in the admin gallery; `size` in bytes. */
export const chartImageSchema = z.object({
  filename: z.string(),
  size: z.number().int(),
  modified: z.iso.datetime(),
  url: z.string(),
  username: z.string(),
});
export type ChartImage = z.infer<typeof chartImageSchema>;

/** Answer of `GET /admin/chart-images`, newest first. */
export const chartImageListSchema = z.object({ images: z.array(chartImageSchema) });
export type ChartImageList = z.infer<typeof chartImageListSchema>;

/** Response of `POST /admin/cleanup-images`; `deleted` counts chart images. */
export const cleanupResultSchema = z.object({
  detail: z.string(),
  deleted: z.number().int().nonnegative(),
});
export type CleanupResult = z.infer<typeof cleanupResultSchema>;
