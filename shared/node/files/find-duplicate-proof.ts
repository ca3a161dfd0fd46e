import type { Types } from "mongoose";
import type { Database } from "../database.ts";
import { mayBeSamePicture, perceptualHash } from "./perceptual-hash.ts";
import { likenessOf, showSamePicture } from "./picture-likeness.ts";

/** By what a picture is known again. */
export interface Fingerprint {
  perceptualHash: string;
  likeness: Buffer;
}

/** The fingerprint of a picture that `takeInImage` has let in. */
export async function fingerprintOf(picture: Buffer): Promise<Fingerprint> {
  return {
    perceptualHash: await perceptualHash(picture),
    likeness: await likenessOf(picture),
  };
}

/**
 * Name of another user whose current proof is the same picture, though resized or recompressed. The hashes of all
 * are looked through, the likenesses only of those that come near.
 */
export async function findDuplicateProof(
  database: Database,
  proof: Fingerprint & { userId: Types.ObjectId },
): Promise<string | undefined> {
  const others = database.paymentProofs
    .find({ userId: { $ne: proof.userId } })
    .select({ userId: 1, perceptualHash: 1 })
    .lean()
    .cursor();
  for await (const other of others) {
    if (!mayBeSamePicture(other.perceptualHash, proof.perceptualHash)) continue;
    const candidate = await database.paymentProofs.findById(other._id).select("+likeness");
    if (!candidate || !showSamePicture(candidate.likeness, proof.likeness)) continue;
    const user = await database.users.findById(other.userId).select({ username: 1 }).lean();
    if (user) return user.username;
  }
  return undefined;
}
