import type { Me } from "@shared/contract/account.ts";
import { findProofOf } from "@shared/node/files/payment-proofs.ts";
import { presentProof } from "@shared/node/present-user-card.ts";
import { ADMINS_STREAM, readHeads, userStream } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import { unauthenticated } from "../errors.ts";
import { createSignPath, withSignedUrl } from "../files/sign-files.ts";
import { presentMe } from "../presenters/present-me.ts";
import type { ServerDeps } from "../server-deps.ts";

/**
 * The user's own state, and the event numbers it holds at least. The numbers are read first: an event that comes
 * in between is told again rather than lost.
 * @throws AppError unauthenticated if the user is gone
 */
export async function describeMe(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
  userId: Types.ObjectId,
): Promise<Me> {
  const { database } = deps;
  const [own = 0, admins = 0] = await readHeads(database, [userStream(userId), ADMINS_STREAM]);
  const user = await database.users.findById(userId).lean();
  if (!user) throw unauthenticated();
  const proof = await findProofOf(database, userId);
  return presentMe(user, {
    paymentProof: proof && withSignedUrl(presentProof(proof), createSignPath(deps)),
    streamPositions: user.role === "admin" ? { user: own, admins } : { user: own },
  });
}
