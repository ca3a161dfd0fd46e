import type { PublishedHead } from "@shared/contract/ledger-heads.ts";
import type { WitnessReceiptRecord } from "@shared/node/models/witness-receipt.ts";

/** What a witness says of a head that it has. */
export type Testimony = Pick<
  WitnessReceiptRecord,
  "status" | "url" | "proof" | "bitcoinBlock" | "commit"
>;

/** Keeps heads of the ledger where the operator cannot rewrite them. */
export interface Witness extends Pick<WitnessReceiptRecord, "kind" | "name"> {
  /**
   * Hands a head over. May be called again for the same head, as after a crash.
   * @throws when the witness does not take it
   */
  submit(head: PublishedHead, abort: AbortSignal): Promise<Testimony>;
  /**
   * Completes a pending proof, an .ots file.
   * @returns null while there is nothing new
   * @throws when the witness cannot be asked
   */
  complete?(proof: Uint8Array, abort: AbortSignal): Promise<Testimony | null>;
}
