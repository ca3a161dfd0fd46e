import { setTimeout } from "node:timers/promises";
import type { PlanId } from "@shared/contract/plans.ts";
import type { rejectProofSchema } from "@shared/contract/proof-rejection.ts";
import type { UploadedFile } from "@shared/contract/routes/define-route.ts";
import { type Database, readEach } from "@shared/database/database.ts";
import { fileStore } from "@shared/database/file-bytes.ts";
import {
  AWAITS_REVIEW,
  type Fingerprint,
  type PaymentProofRecord,
  type ProofFingerprintRecord,
} from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { watchPayment } from "@shared/domain/payment-verification.ts";
import { addRejectionEmail } from "@shared/domain/proof-email.ts";
import { statusAt } from "@shared/domain/subscription-schedule.ts";
import {
  addAccountUpdatedEvents,
  findProofOf,
  presentAdminProof,
  presentUserCard,
} from "@shared/domain/user-card.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import { type ClientSession, Types } from "mongoose";
import type { z } from "zod";
import { unauthenticated } from "../../http/errors.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import type { ImageDeps } from "../files/image-decoder.ts";
import { removePaymentProof, replacePaymentProof, storeUpload } from "../files/stored-files.ts";
import { commitOnUser } from "../users/manage-users.ts";
import { type ComparableImage, comparableOf, showsSameImage } from "./image-similarity.ts";

/**
 * Stores a payment proof in place of the previous one, and then looks for an earlier proof with the same image: of any user,
 * also if that proof or its user has been deleted.
 */
export async function submitProof(
  deps: ImageDeps,
  input: {
    user: Pick<UserRecord, "_id">;
    senderName: string;
    plan: PlanId | undefined;
    transactionHash: string | undefined;
    image: UploadedFile;
  },
): Promise<void> {
  const { senderName, plan, transactionHash } = input;
  const { _id: userId } = input.user;
  const named = { ...(plan && { plan }), ...(transactionHash && { transactionHash }) };
  const { image, raster } = await deps.images.sanitizeToCompare(input.image, userId.toString());
  const { fingerprint } = comparableOf(raster);
  await storeUpload(deps, "payment_proofs", image, (file) =>
    storeProof(deps, { ...file, userId, senderName, ...named }, fingerprint),
  );
  compareProofs(deps);
}

function storeProof(
  { database, now, settings }: ServerDeps,
  proof: Omit<PaymentProofRecord, "createdAt">,
  fingerprint: Fingerprint,
): Promise<void> {
  const { userId, filename, plan, transactionHash } = proof;
  const lockKeys = [ADMINS_STREAM, userStream(userId)];
  return commit(database, { lockKeys, now }, async (uow) => {
    const { session, at } = uow;
    const user = await database.users.findById(userId).session(session).lean();
    if (!user) throw unauthenticated();
    await replacePaymentProof(database, uow, proof);
    const runs = user.subscription && statusAt(user.subscription, at) !== "ended";
    const stored = { ...proof, createdAt: at, ...(runs && { isRenewal: true as const }) };
    const isWatched = settings.AUTO_APPROVE_VERIFIED_PAYMENTS === "on" && plan && transactionHash;
    const needed = settings.PAYMENT_CONFIRMATIONS;
    const verification = { state: "waiting" as const, confirmations: 0, needed, checkedAt: at };
    await database.paymentProofs.create([{ ...stored, ...(isWatched && { verification }) }], {
      session,
    });
    if (isWatched) watchPayment(database, uow, stored);
    const { username } = user;
    const known: ProofFingerprintRecord = {
      _id: new Types.ObjectId(),
      number: (await lastNumber(database, session)) + 1,
      userId,
      username,
      filename,
      submittedAt: at,
      state: "stored",
      ...(transactionHash && { transactionHash }),
      fingerprint,
    };
    await database.proofFingerprints.create([known], { session });
    const shown = await findProofOf(database, userId, session);
    if (shown)
      uow.addEvent(ADMINS_STREAM, "proof:submitted", { ...presentAdminProof(shown), username });
    await addAccountUpdatedEvents(database, uow, { user, reason: "proof-submitted" });
  });
}

/** Submissions commit one after the other on all servers, because each adds an event to the administrators' stream. */
async function lastNumber(database: Database, session: ClientSession): Promise<number> {
  const last = await database.proofFingerprints
    .findOne()
    .select({ number: 1 })
    .sort({ number: -1 })
    .session(session)
    .lean();
  return last?.number ?? 0;
}

export function deleteProof(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
): Promise<UserRecord> {
  return commitOnUser(deps, admin, username, async (uow, user) => {
    if (!(await removePaymentProof(deps.database, uow, user._id, "deleted"))) {
      throw new AppError("not-found", `${user.username} has no payment proof.`);
    }
    uow.log({ type: "proof:deleted", user: user.username });
    uow.addEvent(userStream(user._id), "proof:deleted", {});
    uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user, uow.at));
    return user;
  });
}

/**
 * Rejects the proof of payment that awaits review, and notifies its user of the reason.
 * @throws AppError `proof-changed` if the administrator has seen another proof
 */
export function rejectProof(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
  { reason, note, proof_id: proofId }: z.output<typeof rejectProofSchema>,
): Promise<UserRecord> {
  const { database } = deps;
  const rejection = { reason, ...(note && { note }) };
  return commitOnUser(deps, admin, username, async (uow, user) => {
    const { session, at } = uow;
    if (proofId) await assertSeen(database, uow, user, proofId);
    const rejected = await database.paymentProofs
      .findOneAndUpdate(
        { userId: user._id, ...AWAITS_REVIEW },
        { $set: { reviewedAt: at, rejection } },
        { session },
      )
      .lean();
    if (!rejected) {
      throw new AppError("not-found", `No payment proof of ${user.username} awaits review.`);
    }
    uow.log({ type: "proof:rejected", user: user.username, details: rejection });
    await addAccountUpdatedEvents(database, uow, { user, reason: "proof-rejected", rejection });
    addRejectionEmail(database, uow, { user, rejection, senderName: rejected.senderName });
    return user;
  });
}

/** @param proofId null if no proof was shown; undefined if the caller does not say */
export async function assertSeen(
  { paymentProofs }: Database,
  { session }: UnitOfWork,
  user: UserRecord,
  proofId: string | null | undefined,
): Promise<void> {
  if (proofId === undefined) return;
  const current = await paymentProofs
    .findOne({ userId: user._id, replacedById: null })
    .session(session)
    .lean();
  const isSeen = proofId ? proofId === current?._id.toString() : !current || current.reviewedAt;
  if (isSeen) return;
  const detail = `The payment proof of ${user.username} is no longer the one that you saw. Nothing was changed.`;
  throw new AppError("proof-changed", detail);
}

/**
 * Compares new proofs with earlier ones in the background, one at a time, also those that a server left when it stopped.
 * Several servers may compare the same proof.
 */
export function compareProofs(deps: ImageDeps): void {
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

async function compareProof(deps: ImageDeps, proof: PaymentProofRecord): Promise<void> {
  const { background, database, images, now } = deps;
  const { _id, userId, filename } = proof;
  // Proofs of earlier versions have no fingerprint.
  const own = await database.proofFingerprints
    .findOne({ userId, filename })
    .select({ number: 1, fingerprint: 1 })
    .lean();
  const image = own && (await fileStore(database, "payment_proofs").read(_id));
  const raster = image && (await images.readRaster(image));
  const comparable = own && raster && { raster, fingerprint: own.fingerprint };
  const search = own && comparable && { number: own.number, userId, comparable };
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
  { background, database }: ServerDeps,
  { number, userId, comparable }: ProofSearch,
): Promise<Types.ObjectId | undefined> {
  const matches: Omit<ProofFingerprintRecord, "fingerprint">[] = [];
  const known = database.proofFingerprints
    .find({ number: { $lt: number } })
    .sort({ number: 1 })
    .lean();
  for await (const { fingerprint, ...earlier } of readEach(known)) {
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
