import { type Me, meSchema } from "@shared/contract/account.ts";
import { api } from "../../lib/api/client.ts";
import { type Account, useRealtime } from "../../lib/realtime/store.ts";

/** Reads the user's own proof again, after it was submitted or its signed URL expired. */
export async function refreshProof(): Promise<void> {
  const me = await api({ path: "/me", schema: meSchema });
  useRealtime.setState(({ account }) => (account ? { account: withProof(account, me) } : {}));
}

/** A response older than the last applied event is ignored. */
function withProof(account: Account, { payment_proof, stream_positions }: Me): Account {
  return stream_positions.user < account.asOfSeq ? account : { ...account, payment_proof };
}
