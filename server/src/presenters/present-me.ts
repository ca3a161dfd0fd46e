import type { Me, PaymentProof, StreamPositions } from "@shared/contract/account.ts";
import type { UserRecord } from "@shared/node/models/user.ts";

/** A user as he sees himself. */
export function presentMe(
  user: UserRecord,
  own: { paymentProof: PaymentProof | null; streamPositions: StreamPositions },
): Me {
  return {
    username: user.username,
    email: user.email,
    email_verified: user.emailVerified,
    role: user.role,
    approved: user.approved,
    allow_image_upload: user.allowImageUpload,
    image_credits: user.imageCredits,
    payment_proof: own.paymentProof,
    stream_positions: own.streamPositions,
  };
}
