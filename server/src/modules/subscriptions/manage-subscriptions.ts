import type { Approval, Renewal } from "@shared/contract/subscription.ts";
import type { Database } from "@shared/database/database.ts";
import type { SubscriptionRecord } from "@shared/database/models/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { revokeSubscription } from "@shared/domain/subscription-schedule.ts";
import { settleSubscription } from "@shared/domain/subscriptions.ts";
import { findProofOf, presentUserCard } from "@shared/domain/user-card.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { assertNotOwnAccount } from "../../http/access.ts";
import { idempotencyConflict } from "../../http/errors.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findUseOfKey, recordUseOfKey } from "../admin/idempotency.ts";
import { assertSeen } from "../payments/payment-proofs.ts";
import { changeAccount, commitOnUser, findUserByName } from "../users/manage-users.ts";
import { noteAccessChange } from "./access-change.ts";
import { acceptProof, addPayment, runningSubscription } from "./add-payment.ts";

interface KeyedRenewal extends Renewal {
  idempotencyKey?: string | undefined;
}

/**
 * Approves a user and accepts the proof of payment that awaits review. With a plan, given or named in that proof, it starts a
 * subscription. Changes nothing while one is running.
 * @throws AppError `proof-changed` if the administrator has seen another proof
 */
export function approveUser(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
  approval: Approval,
): Promise<UserRecord> {
  const { database } = deps;
  return commitOnUser(deps, admin, username, async (uow, found) => {
    await assertSeen(database, uow, found, approval.proof_id);
    const user = await settleSubscription(database, uow, found);
    const running = runningSubscription(user);
    if (running) return asRunning(user, running, approval);
    const proof = await acceptProof(database, uow, user._id);
    const { plan = proof?.plan, months } = approval;
    const by = admin.user.username;
    if (!plan && months !== undefined) throw planMissing();
    const after = plan
      ? await addPayment(database, uow, user, {
          graceDays: deps.settings.SUBSCRIPTION_GRACE_DAYS,
          plan,
          proof,
          months,
          by,
          reason: "subscription-started",
        })
      : await approveWithoutEnd(database, uow, user, proof !== null);
    if (after !== user) await noteAccessChange(database, uow, { before: user, after, by, proof });
    return after;
  });
}

/** @throws AppError `subscription-running` if the approval names another plan */
function asRunning(user: UserRecord, running: SubscriptionRecord, { plan }: Approval): UserRecord {
  if (plan && plan !== running.plan) throw subscriptionRunning(user);
  return user;
}

async function approveWithoutEnd(
  database: Database,
  uow: UnitOfWork,
  user: UserRecord,
  hasNewProof: boolean,
): Promise<UserRecord> {
  const fields = { approved: true };
  const changed = await changeAccount(database, uow, user, { fields, reason: "approved" });
  if (!changed && hasNewProof) {
    const proof = await findProofOf(database, user._id, uow.session);
    uow.addEvent(ADMINS_STREAM, "user:updated", presentUserCard(user, uow.at, proof));
    uow.log({ type: "approval:changed", details: fields, user: user.username });
  }
  return changed ?? user;
}

/**
 * Adds a payment to a subscription, which continues from its end, or starts now. Changes nothing if another renewal came
 * first: one with the same key, or one since the administrator saw the subscription's end or sent the request.
 * @throws AppError `proof-changed` if the administrator has seen another proof
 */
export async function renewSubscription(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
  renewal: KeyedRenewal,
): Promise<UserRecord> {
  const { database } = deps;
  const onArrival = await findUserByName(database, username);
  const seenEnd = renewal.ends_at ? new Date(renewal.ends_at) : onArrival.subscription?.endsAt;
  return commitOnUser(deps, admin, username, async (uow, found) => {
    const user = await settleSubscription(database, uow, found);
    const isRepeated = !(await isFirstUse(database, uow, { admin: admin.user, user }, renewal));
    if (isRepeated || found.subscription?.endsAt.getTime() !== seenEnd?.getTime()) return user;
    await assertSeen(database, uow, user, renewal.proof_id);
    const proof = await acceptProof(database, uow, user._id);
    const { plan = proof?.plan, months } = renewal;
    if (!plan) throw planMissing();
    const graceDays = deps.settings.SUBSCRIPTION_GRACE_DAYS;
    const payment = { plan, proof, months, by: admin.user.username, graceDays };
    const reason = user.subscription ? "subscription-renewed" : "subscription-started";
    return addPayment(database, uow, user, { ...payment, reason });
  });
}

/**
 * Records the key of an administrator and user.
 * @returns whether it is new, or none is given
 * @throws AppError `idempotency-conflict` if it was used for another renewal
 */
async function isFirstUse(
  database: Database,
  uow: UnitOfWork,
  action: { admin: UserRecord; user: UserRecord },
  { idempotencyKey, plan, months, ends_at, proof_id }: KeyedRenewal,
): Promise<boolean> {
  if (!idempotencyKey) return true;
  const key = { action: "renewal", ...action, idempotencyKey } as const;
  const request = JSON.stringify([plan, months, ends_at, proof_id]);
  const known = await findUseOfKey(database, uow, key);
  if (!known) {
    await recordUseOfKey(database, uow, { ...key, request });
    return true;
  }
  // Earlier versions did not store it.
  if (known.request !== undefined && known.request !== request) throw idempotencyConflict();
  return false;
}

/** Revokes a user's approval and ends their subscription. */
export async function revokeUser(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
): Promise<UserRecord> {
  const { database } = deps;
  assertNotOwnAccount(admin.user, await findUserByName(database, username));
  return commitOnUser(deps, admin, username, async (uow, found) => {
    const user = await settleSubscription(database, uow, found);
    const running = runningSubscription(user);
    if (running) {
      await database.billingPeriods.updateMany(
        { userId: user._id, subscribedAt: running.startedAt, endsAt: { $gt: uow.at } },
        { $set: { revokedAt: uow.at } },
        { session: uow.session },
      );
    }
    const subscription = running && revokeSubscription(running, uow.at);
    const fields = { approved: false, ...(subscription && { subscription }) };
    const after = await changeAccount(database, uow, user, { fields, reason: "revoked" });
    const by = admin.user.username;
    if (after) await noteAccessChange(database, uow, { before: user, after, by });
    return after ?? user;
  });
}

function planMissing(): AppError {
  const message = "Choose a plan.";
  return new AppError("invalid-input", message, { errors: [{ field: "plan", message }] });
}

function subscriptionRunning({ username }: UserRecord): AppError {
  const detail = `A subscription of ${username} with another plan is running. Renew it to change the plan.`;
  return new AppError("subscription-running", detail);
}
