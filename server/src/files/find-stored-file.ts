import type { Database } from "@shared/node/database.ts";
import { type FileKind, isFilename } from "@shared/node/files/file-kinds.ts";
import type { StoredFileRecord } from "@shared/node/models/stored-file.ts";

/** What is known of a file, or null if there is none of this name; a text that is no name is not looked for. */
export async function findStoredFile(
  database: Database,
  { kind, filename }: { kind: FileKind; filename: string },
): Promise<StoredFileRecord | null> {
  if (!isFilename(filename)) return null;
  if (kind === "payment_proofs") return database.paymentProofs.findOne({ filename }).lean();
  return database.chartImages.findOne({ filename }).lean();
}
