import Router from "@koa/router";
import type { ActionDone } from "@shared/contract/admin.ts";
import { type PaymentDetails, paymentDetailsUpdateSchema } from "@shared/contract/payment.ts";
import { type AppRouter, type AppState, sessionOf } from "../app-context.ts";
import { readPaymentDetails, updatePaymentDetails } from "../commands/payment-details.ts";
import { requireAdmin, requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import type { ServerDeps } from "../server-deps.ts";

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
