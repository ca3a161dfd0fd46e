import { type Me, meSchema } from "@shared/contract/account.ts";
import { api } from "./api/api.ts";
import type { Account } from "./live/live-state.ts";
import { useLive } from "./live/live-store.ts";

/**
 * Reads the user's own proof again: after sending one, here or in another tab, or when its signed
 * address is no longer good.
 */
export async function refreshProof(): Promise<void> {
  const me = await api({ path: "/me", schema: meSchema });
  useLive.setState(({ account }) => (account ? { account: withProof(account, me) } : {}));
}

/** What was read before the last event applied may be older than what that event told. */
function withProof(account: Account, { payment_proof, stream_positions }: Me): Account {
  return stream_positions.user < account.asOfSeq ? account : { ...account, payment_proof };
}
