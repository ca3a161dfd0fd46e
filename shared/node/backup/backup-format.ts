import { z } from "zod";

export const MANIFEST_FILE = "manifest.json";

const savedCollectionSchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9_.-]+$/),
  documents: z.number().int().nonnegative(),
  /** Of the compressed file, in hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type SavedCollection = z.infer<typeof savedCollectionSchema>;

/** What a backup holds, as its `manifest.json` says. */
export const backupManifestSchema = z.object({
  format: z.literal(1),
  made_at: z.iso.datetime(),
  version: z.string(),
  database: z.string(),
  collections: z.array(savedCollectionSchema),
});
export type BackupManifest = z.infer<typeof backupManifestSchema>;
