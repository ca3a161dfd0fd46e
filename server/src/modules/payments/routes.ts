import { MESSAGES } from "@shared/contract/messages.ts";
import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { paymentRoutes } from "@shared/contract/routes/payment-routes.ts";
import { forRequest, sessionOf } from "../../http/context.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { reauthenticateUnlessRecent } from "../accounts/two-factor.ts";
import { readPaymentDetails, updatePaymentDetails } from "./payment-details.ts";
import { deleteProof, submitProof } from "./payment-proofs.ts";

/** Payment details and proofs of payment. */
export const createPaymentRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(paymentRoutes.getPaymentDetails, () => readPaymentDetails(deps.database)),
  handle(paymentRoutes.updatePaymentDetails, async ({ body }, ctx) => {
    const session = sessionOf(ctx);
    const { password, code, ...update } = body;
    await reauthenticateUnlessRecent(forRequest(deps, ctx), session, { password, code });
    await updatePaymentDetails(forRequest(deps, ctx), { admin: session.user, update });
    return { detail: "The payment details are saved." };
  }),
  handle(paymentRoutes.submitProof, async ({ body, files }, ctx) => {
    await submitProof(deps, {
      user: sessionOf(ctx).user,
      senderName: body.sender_name,
      image: files.proof_image,
    });
    return { detail: MESSAGES.proofSubmitted };
  }),
  handle(adminRoutes.deleteProof, async ({ params }, ctx) => {
    const user = await deleteProof(forRequest(deps, ctx), {
      admin: sessionOf(ctx).user,
      ...params,
    });
    return { detail: `The payment proof of ${user.username} is deleted.` };
  }),
];
