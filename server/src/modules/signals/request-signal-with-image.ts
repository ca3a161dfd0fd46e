import { IMAGE_ANALYSIS_CREDITS, MESSAGES } from "@shared/contract/constants.ts";
import type { UploadedFile } from "@shared/contract/routes/define-route.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChartImageRecord, SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { hasAccess } from "@shared/domain/access.ts";
import { changeCredits } from "@shared/domain/credits.ts";
import { presentChartImage } from "@shared/domain/file-store.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { withKeys } from "@shared/runtime/keyed-mutex.ts";
import type { Types } from "mongoose";
import { assertApproved } from "../../http/access.ts";
import { unauthenticated } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import type { ImageDeps } from "../files/image-decoder.ts";
import { storeUpload } from "../files/stored-files.ts";
import { assertKnownSymbol } from "../markets/known-symbols.ts";
import { createSignal, isKnownKey, oncePerKey, type RequestSignalInput } from "./request-signal.ts";
import { assertAnalysesLeft } from "./signal-limits.ts";

export interface ImageRequestInput extends RequestSignalInput {
  user: UserRecord;
  chartImage: UploadedFile;
}

/**
 * Checks credits and the daily limit before anything else in the form. A repeated request passes, since it is already paid.
 */
export async function assertCanSendImage(
  deps: ServerDeps,
  input: Pick<ImageRequestInput, "user" | "idempotencyKey">,
): Promise<void> {
  if (await isKnownKey(deps, input)) return;
  assertCanPayForImage(input.user);
  await assertAnalysesLeft(deps, input.user);
}

/**
 * Accepts a request with an image: takes a credit and stores image and signal in one transaction. Requests of one user run one
 * at a time, so that those without a credit are rejected before their image is processed.
 */
export function requestSignalWithImage(
  deps: ImageDeps,
  input: ImageRequestInput,
): Promise<SignalRecord> {
  return withKeys(deps.database, [`image-request:${input.user._id}`], () =>
    oncePerKey(deps, input, () => acceptImage(deps, input)),
  );
}

async function acceptImage(deps: ImageDeps, input: ImageRequestInput): Promise<SignalRecord> {
  const { database } = deps;
  // The credits may have been spent while this request waited.
  const user = await database.users.findById(input.user._id).lean();
  if (!user) throw unauthenticated();
  assertImageAllowed(user);
  assertCanPayForImage(user);
  await assertAnalysesLeft(deps, user);
  await assertKnownSymbol(deps, input.request.symbol);
  const image = await deps.images.sanitize(input.chartImage, user._id.toString());
  return storeUpload(deps, "chart_uploads", image, (file) =>
    createSignal(deps, input, {
      chartImageId: file._id,
      streams: [ADMINS_STREAM],
      store: async (uow, signalId) => {
        await takeCredit(deps.database, uow, input, signalId);
        const { _id: userId, username } = input.user;
        const stored: ChartImageRecord = {
          ...file,
          userId,
          username,
          signalId,
          createdAt: uow.at,
        };
        await database.chartImages.create([stored], { session: uow.session });
        uow.addEvent(ADMINS_STREAM, "chart-image:added", presentChartImage(stored));
      },
    }),
  );
}

async function takeCredit(
  database: Database,
  uow: UnitOfWork,
  { user, request }: ImageRequestInput,
  signalId: Types.ObjectId,
): Promise<void> {
  const charged = await changeCredits(database, uow, {
    userId: user._id,
    kind: "spend",
    amount: -IMAGE_ANALYSIS_CREDITS,
    by: user.username,
    why: `Analysis of a chart image of ${request.symbol}.`,
    signalId,
  });
  if (!charged) throw noCredits();
  assertApproved({ ...charged, approved: hasAccess(charged, uow.at) });
  assertImageAllowed(charged);
}

export function assertImageAllowed(user: Pick<UserRecord, "allowImageUpload">): void {
  if (!user.allowImageUpload) {
    throw new AppError("image-not-allowed", "Chart images are not enabled for your account.");
  }
}

function assertCanPayForImage(user: Pick<UserRecord, "imageCredits">): void {
  if (user.imageCredits < IMAGE_ANALYSIS_CREDITS) throw noCredits();
}

function noCredits(): AppError {
  return new AppError("no-credits", MESSAGES.noCredits);
}
