import type { UserCard } from "@shared/contract/account.ts";
import { offerIfChanged } from "../admin-state.ts";
import { runAction } from "../api.ts";
import { offerUndo } from "../undo-access.ts";
import { approve, type Terms } from "./subscription-terms.tsx";

/** Approves a user, which can be undone for a moment. */
export const approveAndOfferUndo = (user: UserCard, terms: Terms): Promise<void> =>
  offerIfChanged(user.username, async () => {
    const detail = await runAction(approve(user, terms));
    offerUndo(detail, [user.username]);
  });
