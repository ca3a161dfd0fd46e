import { sha256Schema } from "@shared/contract/ledger.ts";
import type { KeptHead } from "@shared/contract/ledger-verifier.ts";
import { z } from "zod";

const KEY = "ledger-head";

const keptHeadSchema = z.object({ seq: z.number().int().positive(), hash: sha256Schema });

/** The head that this browser verified last; null if there is none, or storage is closed to us. */
export function readKeptHead(storage: Pick<Storage, "getItem">): KeptHead | null {
  try {
    return keptHeadSchema.safeParse(JSON.parse(storage.getItem(KEY) ?? "null")).data ?? null;
  } catch {
    return null;
  }
}

/** Remembers a head that was verified. A browser that keeps nothing has less to compare with, and no more. */
export function keepHead(storage: Pick<Storage, "setItem">, { seq, hash }: KeptHead): boolean {
  try {
    storage.setItem(KEY, JSON.stringify({ seq, hash }));
    return true;
  } catch {
    return false;
  }
}
