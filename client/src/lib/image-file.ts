import { IMAGE_TYPES, MAX_UPLOAD_BYTES } from "@shared/contract/files.ts";

const texts = {
  notAnImage: "Choose a PNG, JPEG or WebP image.",
  empty: "This file is empty. Choose another image.",
  tooLarge: "The image is larger than 5 MB. Choose a smaller one.",
} as const;

/** Kinds of pictures, as a file input's `accept` lists them. */
export const ACCEPTED_IMAGES = IMAGE_TYPES.join(",");

/** Why a file cannot be sent as a picture, as far as its name tag tells; null if it can. Size in bytes. */
export function imageFileProblem({ type, size }: { type: string; size: number }): string | null {
  if (!IMAGE_TYPES.some((known) => known === type)) return texts.notAnImage;
  if (size === 0) return texts.empty;
  return size > MAX_UPLOAD_BYTES ? texts.tooLarge : null;
}
