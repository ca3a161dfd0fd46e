import Router from "@koa/router";
import type { ActionDone } from "@shared/contract/admin.ts";
import { proofFormSchema } from "@shared/contract/files.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import { type PaymentDetails, paymentDetailsUpdateSchema } from "@shared/contract/payment.ts";
import { requireAdmin, requireUser } from "../../http/access.ts";
import { type AppRouter, type AppState, sessionOf } from "../../http/context.ts";
import { rateLimits } from "../../http/rate-limits.ts";
import { parseInput } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { missingFile, parseUpload, uploadedFile } from "../files/parse-upload.ts";
import { readPaymentDetails, updatePaymentDetails } from "./payment-details.ts";
import { deleteProof, submitProof } from "./payment-proofs.ts";

/** How subscribers pay: everybody may read it, administrators change it. */
export function createPaymentDetailsRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/payment-details", async (ctx) => {
    ctx.body = (await readPaymentDetails(deps.database)) satisfies PaymentDetails;
  });

  router.post("/admin/update-payment-details", requireUser(deps), requireAdmin(), async (ctx) => {
    const update = parseInput(paymentDetailsUpdateSchema, ctx.request.body);
    await updatePaymentDetails(deps, { admin: sessionOf(ctx).user, update });
    ctx.body = { detail: "The payment details are saved." } satisfies ActionDone;
  });

  return router;
}

const PICTURE_FIELD = "proof_image";

/** Payment proofs: users send them, administrators delete them. */
export function createProofRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const signedIn = requireUser(deps);

  router.post(
    "/submit-payment-proof",
    signedIn,
    ...rateLimits(deps, "submitProof"),
    parseUpload(PICTURE_FIELD),
    async (ctx) => {
      const { sender_name: senderName } = parseInput(proofFormSchema, ctx.request.body);
      const picture = uploadedFile(ctx);
      if (!picture) throw missingFile(PICTURE_FIELD, MESSAGES.proofIncomplete);
      await submitProof(deps, { user: sessionOf(ctx).user, senderName, picture });
      ctx.status = 201;
      ctx.body = { detail: MESSAGES.proofSubmitted } satisfies ActionDone;
    },
  );

  router.post("/admin/delete-proof/:username", signedIn, requireAdmin(), async (ctx) => {
    const { username } = ctx.params;
    const user = await deleteProof(deps, { admin: sessionOf(ctx).user, username });
    ctx.body = { detail: `The payment proof of ${user.username} is deleted.` } satisfies ActionDone;
  });

  return router;
}
