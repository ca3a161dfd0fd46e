import type { Me } from "@shared/contract/account.ts";
import { readsAdminEvents } from "@shared/domain/admin-access.ts";
import { findProofOf, presentProfile, presentProof } from "@shared/domain/user-card.ts";
import { ADMINS_STREAM, readStreamHeads, userStream } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import { unauthenticated } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { createSignPath, withSignedUrl } from "../files/signed-url.ts";
import { presentTwoFactor } from "./two-factor.ts";

/**
 * The user's account. The stream positions are read first, so that later events are delivered twice rather than lost.
 * @throws AppError unauthenticated if the user is deleted
 */
export async function getCurrentUser(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
  userId: Types.ObjectId,
): Promise<Me> {
  const { database } = deps;
  const [own = 0, admins = 0] = await readStreamHeads(database, [
    userStream(userId),
    ADMINS_STREAM,
  ]);
  const user = await database.users.findById(userId).lean();
  if (!user) throw unauthenticated();
  const proof = await findProofOf(database, userId);
  return {
    ...presentProfile(user, deps.now()),
    payment_proof: proof && withSignedUrl(presentProof(proof), createSignPath(deps)),
    two_factor: presentTwoFactor(user),
    stream_positions: readsAdminEvents(deps.settings, user) ? { user: own, admins } : { user: own },
  };
}
