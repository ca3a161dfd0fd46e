import type { TransactionCheck } from "@shared/contract/payment.ts";
import type { Database } from "@shared/database/database.ts";
import type { ClientSession } from "mongoose";
import type { MinedTransaction, Wallet } from "./wallets.ts";

/** Other proofs with the same hash that are listed. */
const MAX_USES = 10;

/** The wallet that a transaction can only have paid to. */
export function walletOfHash(wallets: readonly Wallet[], hash: string): Wallet | undefined {
  const chain = hash.startsWith("0x") ? "evm" : "tron";
  // With one network, a hash with the other's prefix can only be of this one.
  return wallets.length > 1 ? wallets.find((it) => it.chain === chain) : wallets[0];
}

/** Without what the service's address appears in, which may contain a key. */
export function reasonOfLookup(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "shortMessage" in error ? `${error.name}: ${error.shortMessage}` : error.message;
}

/** Other proofs with the same transaction, newest first. */
export async function findOtherUses(
  database: Database,
  { hash, filename }: { hash: string; filename: string },
  session: ClientSession | null = null,
): Promise<TransactionCheck["used_by"]> {
  const bare = hash.replace("0x", "");
  const uses = await database.proofFingerprints
    .find({ transactionHash: { $in: [bare, `0x${bare}`] }, filename: { $ne: filename } })
    .select({ username: 1, submittedAt: 1, state: 1 })
    .sort({ number: -1 })
    .limit(MAX_USES)
    .session(session)
    .lean();
  return uses.map(({ username = "a deleted user", submittedAt, state }) => ({
    username,
    submitted_at: submittedAt.toISOString(),
    state,
  }));
}

/** What a mined transaction says, for people and for the rules of automatic approval. */
export async function readPayment(wallet: Wallet, mined: MinedTransaction): Promise<Payment> {
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

export type Payment = Omit<
  Extract<TransactionCheck, { status: "found" }>,
  "status" | "hash" | "network" | "used_by"
>;

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
