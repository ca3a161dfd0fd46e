import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Verification } from "@shared/contract/account.ts";
import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";
import { type PlanId, planById } from "@shared/contract/plans.ts";
import { AWAITS_REVIEW, type PaymentProofRecord } from "@shared/database/models/payment.ts";
import { VERIFY_PAYMENT, verifyPaymentSchema } from "@shared/domain/payment-verification.ts";
import { readPlans } from "@shared/domain/plans.ts";
import { settleSubscription } from "@shared/domain/subscriptions.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { finishWork } from "@shared/work/item-locks.ts";
import { doubling, untilDone, type WorkHandler, type WorkItem } from "@shared/work/work-handler.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import type { ClientSession } from "mongoose";
import type { ServerDeps } from "../../server-deps.ts";
import { noteAccessChange } from "../subscriptions/access-change.ts";
import {
  AUTOMATIC_APPROVER,
  acceptProof,
  addPayment,
  runningSubscription,
} from "../subscriptions/add-payment.ts";
import { announceApprovals, announceLater } from "./announce-approval.ts";
import {
  findOtherUses,
  type Payment,
  readPayment,
  reasonOfLookup,
  walletOfHash,
} from "./transaction.ts";
import { type Wallet, type WalletSettings, walletsOf } from "./wallets.ts";

type VerifyDeps = Pick<ServerDeps, "database" | "logger" | "now"> & {
  settings: WalletSettings & Pick<Settings, "PAYMENT_CONFIRMATIONS" | "SUBSCRIPTION_GRACE_DAYS">;
};

/** Proofs whose transactions are looked up at once. */
const MAX_IN_FLIGHT = 10;

const LOOKUP_TIMEOUT_MS = 8_000;

/** Until a transaction is looked up again: as long as the missing blocks take, within this range. */
const MIN_LOOK_MS = 3_000;
const MAX_LOOK_MS = 20_000;
const BLOCK_MS = { evm: 12_000, tron: 3_000 } as const;

/** A transaction that is in no block is looked up less often after this time, and left to an administrator after the other. */
const SOON_MS = 6 * HOUR_MS;
const LATER_LOOK_MS = 300_000;
const GIVE_UP_MS = 3 * DAY_MS;

/**
 * Watches the transactions that proofs of payment name. A proof whose payment is confirmed is accepted; what differs from the
 * plan's fee in any way is left to an administrator.
 */
export const verifyPayments = (deps: VerifyDeps): WorkHandler =>
  untilDone(deps, {
    kind: VERIFY_PAYMENT,
    concurrency: MAX_IN_FLIGHT,
    retryDelayMs: doubling({ first: 5_000, max: MAX_LOOK_MS }),
    run: (item) => verify(deps, item),
  });

/** The work queue of this server, which has this kind only; null unless the setting is on. */
export function startPaymentChecks(deps: ServerDeps): WorkQueue | null {
  if (deps.settings.AUTO_APPROVE_VERIFIED_PAYMENTS !== "on") return null;
  const workerId = `server:${hostname()}:${process.pid}:${randomUUID()}`;
  const queue = new WorkQueue({
    ...deps,
    workerId,
    handlers: [verifyPayments(deps), announceApprovals(deps)],
  });
  queue.start();
  return queue;
}

type NamedProof = PaymentProofRecord & { plan: PlanId; transactionHash: string };

/** @returns when to look again; null if nothing is left to do */
async function verify(deps: VerifyDeps, item: WorkItem): Promise<Date | null> {
  const { database, now } = deps;
  const { proofId } = verifyPaymentSchema.parse(item.data);
  const proof = await database.paymentProofs
    .findOne({ _id: proofId, replacedById: null, ...AWAITS_REVIEW })
    .lean();
  if (!proof || !isNamed(proof)) return null;
  const wallet = walletOfHash(walletsOf(deps.settings), proof.transactionHash);
  if (!wallet) return null;
  const found = await lookUp(deps, wallet, proof.transactionHash);
  const { monthlyUsd: feeUsd } = planById(proof.plan, await readPlans(database));
  const seen = judge(deps, { createdAt: proof.createdAt, feeUsd }, found);
  if (seen.state === "approved") return approve(deps, item, proof);
  await note(deps, proof, seen);
  if (seen.state === "manual") return null;
  return new Date(now().getTime() + nextLookMs(wallet, seen, now().getTime() - +proof.createdAt));
}

const isNamed = (proof: PaymentProofRecord): proof is NamedProof =>
  proof.plan !== undefined && proof.transactionHash !== undefined;

type Found = Payment | "not-found" | "unreachable";

async function lookUp({ logger }: VerifyDeps, wallet: Wallet, hash: string): Promise<Found> {
  try {
    const signal = AbortSignal.timeout(LOOKUP_TIMEOUT_MS);
    const mined = await wallet.read(hash.replace("0x", ""), signal);
    return mined ? await readPayment(wallet, mined) : "not-found";
  } catch (error) {
    logger.warn({ network: wallet.network, reason: reasonOfLookup(error) }, "lookup failed");
    return "unreachable";
  }
}

/** `approved` if nothing but an earlier use of the transaction can speak against it. */
function judge(
  { settings, now }: VerifyDeps,
  { createdAt, feeUsd }: { createdAt: Date; feeUsd: number },
  found: Found,
): Verification {
  const needed = settings.PAYMENT_CONFIRMATIONS;
  if (found === "not-found" || found === "unreachable") {
    const isOver = now().getTime() - createdAt.getTime() > GIVE_UP_MS;
    return { state: isOver ? "manual" : "waiting", confirmations: 0, needed, problem: found };
  }
  const { confirmations } = found;
  const problem = problemOf(found, feeUsd);
  const fields = { confirmations, needed, ...(problem && { problem }) };
  // Until then, another chain of blocks may show another result.
  if (confirmations < needed) return { state: "confirming", ...fields };
  return { state: problem ? "manual" : "approved", ...fields };
}

function problemOf({ succeeded, transfer }: Payment, feeUsd: number): Verification["problem"] {
  if (!succeeded) return "failed";
  if (!transfer?.is_usdt || transfer.amount === null) return "wrong-token";
  if (!transfer.is_recipient_ours) return "wrong-recipient";
  // A fee is a whole number, so what stands after the point cannot make up for it.
  const [dollars = "0"] = transfer.amount.split(".");
  return BigInt(dollars) < BigInt(feeUsd) ? "too-little" : undefined;
}

function nextLookMs(wallet: Wallet, { confirmations, needed }: Verification, ageMs: number) {
  if (confirmations === 0) return ageMs > SOON_MS ? LATER_LOOK_MS : MAX_LOOK_MS;
  const missingMs = (needed - confirmations) * BLOCK_MS[wallet.chain];
  return Math.min(Math.max(missingMs / 2, MIN_LOOK_MS), MAX_LOOK_MS);
}

async function note(
  { database, now }: Pick<VerifyDeps, "database" | "now">,
  { _id }: NamedProof,
  seen: Verification,
  session: ClientSession | null = null,
): Promise<void> {
  const verification = { ...seen, checkedAt: now() };
  const unreviewed = { _id, ...AWAITS_REVIEW };
  await database.paymentProofs.updateOne(unreviewed, { $set: { verification } }).session(session);
}

/** Accepts the proof and adds its payment, unless another proof has named the transaction. Happens once, also after a crash. */
async function approve(deps: VerifyDeps, item: WorkItem, proof: NamedProof): Promise<null> {
  const { database, now, settings } = deps;
  const { _id, userId, filename, plan, transactionHash: hash } = proof;
  const confirmations = settings.PAYMENT_CONFIRMATIONS;
  const seen = { confirmations, needed: confirmations };
  await commit(database, { lockKeys: userStream(userId), now }, async (uow) => {
    const { session } = uow;
    await finishWork(database, session, item);
    const found = await database.users.findById(userId).session(session).lean();
    const current = await database.paymentProofs
      .findOne({ _id, replacedById: null, ...AWAITS_REVIEW })
      .session(session)
      .lean();
    if (!found || !current) return;
    if ((await findOtherUses(database, { hash, filename }, session)).length > 0) {
      return note(deps, proof, { state: "manual", ...seen, problem: "used" }, session);
    }
    announceLater(database, uow, userId);
    const audience = "user";
    const user = await settleSubscription(database, uow, found, audience);
    await note(deps, proof, { state: "approved", ...seen }, session);
    const accepted = await acceptProof(database, uow, userId);
    const after = await addPayment(database, uow, user, {
      plan,
      months: 1,
      proof: accepted,
      by: AUTOMATIC_APPROVER,
      reason: runningSubscription(user) ? "subscription-renewed" : "subscription-started",
      graceDays: settings.SUBSCRIPTION_GRACE_DAYS,
      automatic: { transaction: hash },
      audience,
    });
    const change = { before: user, after, by: AUTOMATIC_APPROVER, proof: accepted };
    await noteAccessChange(database, uow, change);
  });
  return null;
}
