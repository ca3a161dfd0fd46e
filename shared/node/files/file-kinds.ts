import { randomBytes } from "node:crypto";
import type { ImageType } from "@shared/contract/files.ts";

/** Where pictures are kept: one GridFS bucket for each kind, and the first part of their address. */
export const FILE_KINDS = ["payment_proofs", "chart_uploads"] as const;
export type FileKind = (typeof FILE_KINDS)[number];

const EXTENSIONS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
} as const satisfies Record<ImageType, string>;

/** 128 random bits and an extension: nothing of what the file was called, and no way to leave its folder. */
const FILENAME = /^[0-9a-f]{32}\.(?:png|jpg|webp)$/;

/** A name that nobody can guess. */
export function newFilename(contentType: ImageType): string {
  return `${randomBytes(16).toString("hex")}.${EXTENSIONS[contentType]}`;
}

/** Whether `text` may be the name of a stored file. */
export const isFilename = (text: string): boolean => FILENAME.test(text);

/** The address of a file without host and signature, as events and models hold it. */
export const filePath = (kind: FileKind, filename: string): string => `/${kind}/${filename}`;
