import { IMAGE_ANALYSIS_CREDITS } from "@shared/contract/constants.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { ChartImageRecord } from "@shared/database/models/stored-file.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { changeCredits } from "@shared/domain/credits.ts";
import { presentChartImage } from "@shared/files/chart-images.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import type { Types } from "mongoose";
import { assertApproved } from "../../http/access.ts";
import { unauthenticated } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { assertCanPayForImage, assertImageAllowed, noCredits } from "../files/policy.ts";
import { sanitizeImage } from "../files/sanitize-image.ts";
import { type SavedFile, storeUpload } from "../files/stored-files.ts";
import { assertKnownSymbol } from "../markets/known-symbols.ts";
import { createSignal, findByIdempotencyKey, type RequestSignalInput } from "./request-signal.ts";

/** A request for a signal together with the trader's chart picture, as it was uploaded. */
export interface ImageRequestInput extends RequestSignalInput {
  user: UserRecord;
  chartImage: Uint8Array;
}

/**
 * Whether a user may ask for the analysis of an image, as far as it can be told before the image is read. A repeated
 * request is let through: it is answered with the signal that is already paid for.
 * @throws AppError image-not-allowed, no-credits
 */
export async function assertMaySendImage(
  deps: Pick<ServerDeps, "database" | "now">,
  order: Pick<ImageRequestInput, "user" | "idempotencyKey">,
): Promise<void> {
  assertImageAllowed(order.user);
  if (await findByIdempotencyKey(deps.database, order, { at: deps.now() })) return;
  assertCanPayForImage(order.user);
}

/**
 * Accepts a request with an image: takes one credit and stores image and signal, all in one transaction, and asks the
 * workers for the signal. Requests of one user take turns, so that those that come too late for his last credit
 * are turned away before their images cost anything.
 * @returns the signal, which an earlier request with the same key may have made and paid for
 * @throws AppError not-approved, image-not-allowed, no-credits, invalid-input, not-an-image, file-too-large
 */
export function requestSignalWithImage(
  deps: ServerDeps,
  order: ImageRequestInput,
): Promise<SignalRecord> {
  const { database, now } = deps;
  return withKeys(database, [`image-order:${order.user._id}`], async () => {
    const earlier = await findByIdempotencyKey(database, order, { at: now() });
    if (earlier) return earlier;
    assertMayPay(await database.users.findById(order.user._id).lean());
    await assertKnownSymbol(deps, order.request.symbol);
    const image = await sanitizeImage(order.chartImage);
    return storeUpload(deps, { kind: "chart_uploads", image }, (file) =>
      createSignal(deps, order, {
        chartImageId: file._id,
        streams: [ADMINS_STREAM],
        store: async (uow, signalId) => {
          await takeCredit(deps, uow, { order, signalId });
          await addImage(deps, uow, { order, signalId, file });
        },
      }),
    );
  });
}

async function takeCredit(
  { database }: ServerDeps,
  uow: UnitOfWork,
  { order, signalId }: { order: ImageRequestInput; signalId: Types.ObjectId },
): Promise<void> {
  const { user, request } = order;
  const charged = await changeCredits(database, uow, {
    userId: user._id,
    kind: "spend",
    amount: -IMAGE_ANALYSIS_CREDITS,
    by: user.username,
    why: `Analysis of a chart image of ${request.symbol}.`,
    signalId,
  });
  if (!charged) throw noCredits();
  assertApproved(charged);
  assertImageAllowed(charged);
}

async function addImage(
  { database }: ServerDeps,
  uow: UnitOfWork,
  belongings: { order: ImageRequestInput; signalId: Types.ObjectId; file: SavedFile },
): Promise<void> {
  const { order, signalId, file } = belongings;
  const { _id: userId, username } = order.user;
  const image: ChartImageRecord = { ...file, userId, username, signalId, createdAt: uow.at };
  await database.chartImages.create([image], { session: uow.session });
  uow.addEvent(ADMINS_STREAM, "chart-image:added", presentChartImage(image));
}

/** The user as he is now, in case his credits were spent while this request waited. */
function assertMayPay(user: UserRecord | null): void {
  if (!user) throw unauthenticated();
  assertImageAllowed(user);
  assertCanPayForImage(user);
}
