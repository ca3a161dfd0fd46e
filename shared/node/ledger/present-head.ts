import type { PublishedHead } from "@shared/contract/ledger-heads.ts";
import type { LedgerPublicationRecord } from "../models/ledger.ts";

/** A published head as everybody gets it. */
export const presentHead = ({ _id, seq, hash, at }: LedgerPublicationRecord): PublishedHead => ({
  day: _id,
  seq,
  hash,
  at,
});
