import type { Me, PaymentProof, StreamPositions } from "@shared/contract/account.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { presentProfile } from "@shared/node/present-profile.ts";

/** A user as he sees himself. */
export function presentMe(
  user: UserRecord,
  own: { paymentProof: PaymentProof | null; streamPositions: StreamPositions },
): Me {
  return {
    ...presentProfile(user),
    payment_proof: own.paymentProof,
    stream_positions: own.streamPositions,
  };
}
