import type { TransactionCheck } from "@shared/contract/payment.ts";
import type { Database } from "@shared/database/database.ts";
import type { PaymentProofRecord } from "@shared/database/models/payment.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findUserByName } from "../users/manage-users.ts";
import { type MinedTransaction, type Wallet, walletsOf } from "./wallets.ts";

const LOOKUP_TIMEOUT_MS = 5_000;

/** Other proofs with the same hash that are listed. */
const MAX_USES = 10;

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
  const wallets = walletsOf(settings);
  const chain = hash.startsWith("0x") ? "evm" : "tron";
  // With one network, a hash with the other's prefix can only be of this one.
  const wallet = wallets.length > 1 ? wallets.find((it) => it.chain === chain) : wallets[0];
  const used_by = await findOtherUses(database, { hash, filename: proof.filename });
  if (!wallet) return { status: "not-configured", hash, used_by };
  const fields = { hash, network: wallet.network, used_by };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const mined = await wallet.read(hash.replace("0x", ""), signal);
    if (!mined) return { status: "not-found", ...fields };
    return { status: "found", ...fields, ...(await present(wallet, mined)) };
  } catch (error) {
    deps.logger.warn({ network: wallet.network, reason: reasonOf(error) }, "lookup failed");
    return { status: "unreachable", ...fields };
  }
}

/** Without what the service's address appears in, which may contain a key. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "shortMessage" in error ? `${error.name}: ${error.shortMessage}` : error.message;
}

async function findOtherUses(
  database: Database,
  { hash, filename }: Required<Pick<PaymentProofRecord, "filename">> & { hash: string },
): Promise<TransactionCheck["used_by"]> {
  const bare = hash.replace("0x", "");
  const uses = await database.proofFingerprints
    .find({ transactionHash: { $in: [bare, `0x${bare}`] }, filename: { $ne: filename } })
    .select({ username: 1, submittedAt: 1, state: 1 })
    .sort({ number: -1 })
    .limit(MAX_USES)
    .lean();
  return uses.map(({ username = "a deleted user", submittedAt, state }) => ({
    username,
    submitted_at: submittedAt.toISOString(),
    state,
  }));
}

async function present(wallet: Wallet, mined: MinedTransaction) {
  const { formatUnits } = await import("viem");
  const { ownDigits, tokenDigits, encode } = wallet;
  const transfer = pickTransfer(wallet, mined.logs.flatMap(readTransfer));
  return {
    succeeded: mined.succeeded,
    sent_at: mined.minedAt.toISOString(),
    // The services behind one address may know different latest blocks.
    confirmations: Math.max(1, mined.latestBlock - mined.block + 1),
    transfer: transfer && {
      token: encode(transfer.token),
      is_usdt: transfer.token === tokenDigits,
      amount: transfer.token === tokenDigits ? formatUnits(transfer.amount, mined.decimals) : null,
      recipient: encode(transfer.recipient),
      is_recipient_ours: transfer.recipient === ownDigits,
    },
  };
}

interface Transfer {
  token: string;
  recipient: string;
  amount: bigint;
}

/** Of the event `Transfer(address,address,uint256)`, which tokens emit on EVM chains and on Tron. */
const TRANSFER_TOPIC = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

function readTransfer({ address, topics, data }: MinedTransaction["logs"][number]): Transfer[] {
  const [event, , to = ""] = topics;
  const isTransfer = event === TRANSFER_TOPIC && topics.length === 3 && data.length === 64;
  if (!isTransfer) return [];
  return [{ token: address, recipient: to.slice(24), amount: BigInt(`0x${data}`) }];
}

/** The sum of USDT that the seller received, else another token, else what somebody else received. */
function pickTransfer(
  { ownDigits, tokenDigits }: Wallet,
  transfers: readonly Transfer[],
): Transfer | null {
  const received = transfers.filter(({ recipient }) => recipient === ownDigits);
  const paid = received.filter(({ token }) => token === tokenDigits);
  const [first] = paid;
  if (first) return { ...first, amount: paid.reduce((sum, { amount }) => sum + amount, 0n) };
  return (
    received[0] ?? transfers.find(({ token }) => token === tokenDigits) ?? transfers[0] ?? null
  );
}
