import type { TransactionCheck } from "@shared/contract/payment.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findUserByName } from "../users/manage-users.ts";
import { findOtherUses, readPayment, reasonOfLookup, walletOfHash } from "./transaction.ts";
import { walletsOf } from "./wallets.ts";

const LOOKUP_TIMEOUT_MS = 5_000;

/** Looks up the transaction that a user's proof names, for an administrator to compare. */
export async function checkTransaction(
  deps: ServerDeps,
  username: string,
  timeoutMs = LOOKUP_TIMEOUT_MS,
): Promise<TransactionCheck> {
  const { database, settings } = deps;
  const { _id: userId } = await findUserByName(database, username);
  const proof = await database.paymentProofs.findOne({ userId, replacedById: null }).lean();
  const hash = proof?.transactionHash;
  if (!hash) throw new AppError("not-found", `The proof of ${username} names no transaction.`);
  const wallet = walletOfHash(walletsOf(settings), hash);
  const used_by = await findOtherUses(database, { hash, filename: proof.filename });
  if (!wallet) return { status: "not-configured", hash, used_by };
  const fields = { hash, network: wallet.network, used_by };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const mined = await wallet.read(hash.replace("0x", ""), signal);
    if (!mined) return { status: "not-found", ...fields };
    return { status: "found", ...fields, ...(await readPayment(wallet, mined)) };
  } catch (error) {
    deps.logger.warn({ network: wallet.network, reason: reasonOfLookup(error) }, "lookup failed");
    return { status: "unreachable", ...fields };
  }
}
