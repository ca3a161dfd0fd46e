import { setTimeout } from "node:timers/promises";
import type {
  PaymentProofRecord,
  ProofFingerprintRecord,
} from "@shared/database/models/payment.ts";
import { findProofOf, presentUserCard } from "@shared/domain/user-card.ts";
import { fileStore } from "@shared/files/file-store.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import type { Types } from "mongoose";
import type { ServerDeps } from "../../server-deps.ts";
import { type ComparableImage, readComparable, showsSameImage } from "./image-similarity.ts";

export type CompareDeps = Pick<ServerDeps, "background" | "database" | "logger" | "now">;

/**
 * Compares new proofs with earlier ones in the background, one at a time, also those that a server left when it stopped.
 * Several servers may compare the same proof.
 */
export function compareProofs(deps: CompareDeps): void {
  const { background, database, logger } = deps;
  background.run("comparing payment proofs", () =>
    withKeys(database.paymentProofs, ["comparison"], async () => {
      const proofs = await database.paymentProofs
        .find({ comparedAt: { $exists: false } })
        .sort({ _id: 1 })
        .lean();
      for (const proof of proofs) {
        if (background.isStopping) return;
        await compareProof(deps, proof).catch((error: unknown) => {
          logger.warn({ err: error, file: proof.filename }, "comparing a payment proof failed");
        });
      }
    }),
  );
}

async function compareProof(deps: CompareDeps, proof: PaymentProofRecord): Promise<void> {
  const { background, database, now } = deps;
  const { _id, userId, filename } = proof;
  // Proofs of earlier versions have no fingerprint.
  const own = await database.proofFingerprints
    .findOne({ userId, filename })
    .select({ number: 1 })
    .lean();
  const image = own && (await fileStore(database, "payment_proofs").read(_id));
  const search = own && image && { ...own, userId, comparable: await readComparable(image) };
  const duplicateOfId = search ? await findEarlierProof(deps, search) : undefined;
  if (background.isStopping) return;
  await commit(database, { lockKeys: ADMINS_STREAM, now }, async ({ session, at, addEvent }) => {
    const { modifiedCount } = await database.paymentProofs.updateOne(
      { _id, comparedAt: { $exists: false } },
      { $set: { comparedAt: at, ...(duplicateOfId && { duplicateOfId }) } },
      { session },
    );
    if (modifiedCount === 0 || !duplicateOfId) return;
    const user = await database.users.findById(userId).session(session).lean();
    const shown = await findProofOf(database, userId, session);
    if (user) addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user, at, shown));
  });
}

interface ProofSearch {
  /** Of the proof's own fingerprint. */
  number: number;
  userId: Types.ObjectId;
  comparable: ComparableImage;
}

/** The proof with the same image: first of another user, then with a stored image, then the oldest one. */
async function findEarlierProof(
  { background, database }: CompareDeps,
  { number, userId, comparable }: ProofSearch,
): Promise<Types.ObjectId | undefined> {
  const matches: Omit<ProofFingerprintRecord, "fingerprint">[] = [];
  const known = database.proofFingerprints
    .find({ number: { $lt: number } })
    .sort({ number: 1 })
    .lean()
    .cursor();
  for await (const { fingerprint, ...earlier } of known) {
    if (background.isStopping) return undefined;
    const startedMs = performance.now();
    if (showsSameImage(fingerprint, comparable)) matches.push(earlier);
    // Requests get at least half of the processor.
    await setTimeout(performance.now() - startedMs);
  }
  const ofOthers = matches.filter((earlier) => !earlier.userId?.equals(userId));
  const candidates = ofOthers.length > 0 ? ofOthers : matches;
  return (candidates.find(({ filename }) => filename) ?? candidates[0])?._id;
}
