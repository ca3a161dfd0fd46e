import { MESSAGES } from "@shared/contract/constants.ts";
import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { paymentRoutes } from "@shared/contract/routes/payment-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { AccountDeps } from "../accounts/identity/identity-provider.ts";
import { reauthenticateUnlessRecent } from "../accounts/two-factor.ts";
import type { ImageDeps } from "../files/image-decoder.ts";
import { checkTransaction } from "./check-transaction.ts";
import { readOfferedPayments, updatePaymentDetails } from "./payment-details.ts";
import { deleteProof, rejectProof, submitProof } from "./payment-proofs.ts";
import { listPlans, updatePlan } from "./plans.ts";

export const paymentHandlers: BoundRoute<AccountDeps & ImageDeps>[] = [
  handle(paymentRoutes.getPaymentDetails, (_, { deps }) => readOfferedPayments(deps)),
  handle(paymentRoutes.updatePaymentDetails, async ({ body }, { deps, session }) => {
    const { password, code, ...update } = body;
    await reauthenticateUnlessRecent(deps, session, { password, code });
    await updatePaymentDetails(deps, session, update);
    return { detail: "The payment details are saved." };
  }),
  handle(paymentRoutes.getPlans, (_, { deps }) => listPlans(deps)),
  handle(paymentRoutes.updatePlan, async ({ params, body }, { deps, session }) => {
    const { password, code, ...terms } = body;
    await reauthenticateUnlessRecent(deps, session, { password, code });
    await updatePlan(deps, session, params.id, terms);
    return { detail: "The plan is saved." };
  }),
  handle(paymentRoutes.submitProof, async ({ body, files }, { deps, session }) => {
    await submitProof(deps, {
      user: session.user,
      senderName: body.sender_name,
      plan: body.plan,
      transactionHash: body.transaction_hash || undefined,
      image: files.proof_image,
    });
    return { detail: MESSAGES.proofSubmitted };
  }),
  handle(adminRoutes.checkTransaction, ({ params }, { deps }) =>
    checkTransaction(deps, params.username),
  ),
  handle(adminRoutes.rejectProof, async ({ params, body }, { deps, session }) => {
    const user = await rejectProof(deps, session, params.username, body);
    return { detail: `The payment proof of ${user.username} is rejected.` };
  }),
  handle(adminRoutes.deleteProof, async ({ params }, { deps, session }) => {
    const user = await deleteProof(deps, session, params.username);
    return { detail: `The payment proof of ${user.username} is deleted.` };
  }),
];
