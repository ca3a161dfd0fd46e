import type { Database } from "@shared/database/database.ts";
import { ANNOUNCE_APPROVAL, announceApprovalSchema } from "@shared/domain/payment-verification.ts";
import { findProofOf, presentUserCard } from "@shared/domain/user-card.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { finishWork } from "@shared/work/item-locks.ts";
import { doubling, oneByOne, type WorkHandler, type WorkItem } from "@shared/work/work-handler.ts";
import { addWork } from "@shared/work/work-item.ts";
import { Types } from "mongoose";
import type { ServerDeps } from "../../server-deps.ts";

type AnnounceDeps = Pick<ServerDeps, "database" | "logger" | "now">;

/**
 * Adds work that shows administrators an approval, whose own unit adds no event to their stream. Its writes are then those of one
 * user, so that any number of approvals run at once: all units that write to that stream would wait for each other, or conflict.
 */
export function announceLater(database: Database, uow: UnitOfWork, userId: Types.ObjectId): void {
  const data = { userId: userId.toString() };
  const id = new Types.ObjectId();
  addWork(database, uow, { kind: ANNOUNCE_APPROVAL, id, data, dueAt: uow.at });
}

/** Shows administrators the users whose payments were approved. */
export const announceApprovals = (deps: AnnounceDeps): WorkHandler =>
  oneByOne(deps, {
    kind: ANNOUNCE_APPROVAL,
    concurrency: 25,
    retryDelayMs: doubling({ first: 1_000, max: 60_000 }),
    run: (item) => announce(deps, item),
  });

function announce({ database, now }: AnnounceDeps, item: WorkItem): Promise<void> {
  const { userId } = announceApprovalSchema.parse(item.data);
  const options = { lockKeys: ADMINS_STREAM, groupCommit: true, now };
  return commit(database, options, async (uow) => {
    const { session, at } = uow;
    await finishWork(database, session, item);
    const user = await database.users.findById(userId).session(session).lean();
    if (!user) return;
    const proof = await findProofOf(database, user._id, session);
    uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user, at, proof));
  });
}
