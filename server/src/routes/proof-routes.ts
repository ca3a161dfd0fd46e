import Router from "@koa/router";
import type { ActionDone } from "@shared/contract/admin.ts";
import { proofFormSchema } from "@shared/contract/files.ts";
import { TEXTS } from "@shared/contract/texts.ts";
import { type AppRouter, type AppState, sessionOf } from "../app-context.ts";
import { deleteProof } from "../commands/delete-proof.ts";
import { submitProof } from "../commands/submit-proof.ts";
import { missingFile, receiveUpload, uploadedFile } from "../files/receive-upload.ts";
import { requireAdmin, requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import { rateLimits } from "../middleware/rate-limit-rules.ts";
import type { ServerDeps } from "../server-deps.ts";

const PICTURE_FIELD = "proof_image";

/** Payment proofs: users send them, administrators delete them. */
export function createProofRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const signedIn = requireUser(deps);

  router.post(
    "/submit-payment-proof",
    signedIn,
    ...rateLimits(deps, "submitProof"),
    receiveUpload(PICTURE_FIELD),
    async (ctx) => {
      const { sender_name: senderName } = parseInput(proofFormSchema, ctx.request.body);
      const picture = uploadedFile(ctx);
      if (!picture) throw missingFile(PICTURE_FIELD, TEXTS.proofIncomplete);
      await submitProof(deps, { user: sessionOf(ctx).user, senderName, picture });
      ctx.status = 201;
      ctx.body = { detail: TEXTS.proofSubmitted } satisfies ActionDone;
    },
  );

  router.post("/admin/delete-proof/:username", signedIn, requireAdmin(), async (ctx) => {
    const { username } = ctx.params;
    const user = await deleteProof(deps, { admin: sessionOf(ctx).user, username });
    ctx.body = { detail: `The payment proof of ${user.username} is deleted.` } satisfies ActionDone;
  });

  return router;
}
