import { Readable } from "node:stream";
import { accountRoutes } from "@shared/contract/routes/account-routes.ts";
import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { statusAt } from "@shared/domain/subscription-schedule.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { exportPayments, listPayments } from "./list-payments.ts";
import { approveUser, renewSubscription, revokeUser } from "./manage-subscriptions.ts";
import { getOwnSubscription, summarizeSubscriptions } from "./queries.ts";
import { undoAccessChange } from "./undo-access.ts";

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** Approval, and subscriptions, which are approvals with an end. */
export const subscriptionHandlers: BoundRoute[] = [
  handle(adminRoutes.approveUser, async ({ params, body }, { deps, session }) => {
    const { username } = await approveUser(deps, session, params.username, body);
    return { detail: `${username} is approved.` };
  }),
  handle(adminRoutes.renewSubscription, async ({ params, headers, body }, { deps, session }) => {
    const renewal = { ...body, idempotencyKey: headers["idempotency-key"] };
    const renewed = await renewSubscription(deps, session, params.username, renewal);
    const { username, subscription } = renewed;
    const runs = subscription && statusAt(subscription, deps.now()) !== "ended";
    const state = runs ? `runs until ${dayFormat.format(subscription.endsAt)}` : "has ended";
    return { detail: `The subscription of ${username} ${state}.` };
  }),
  handle(adminRoutes.revokeUser, async ({ params }, { deps, session }) => {
    const { username } = await revokeUser(deps, session, params.username);
    return { detail: `${username} is no longer approved.` };
  }),
  handle(adminRoutes.undoAccess, async ({ params }, { deps, session }) => {
    const { username, approved } = await undoAccessChange(deps, session, params.username);
    return { detail: `Undone: ${username} is ${approved ? "approved" : "not approved"}.` };
  }),
  handle(adminRoutes.getSubscriptions, (_, { deps }) => summarizeSubscriptions(deps)),
  handle(adminRoutes.listPayments, ({ query }, { deps, session }) =>
    listPayments(deps, session.user, query),
  ),
  handle(adminRoutes.exportSubscriptions, ({ query }, { ctx, deps }) => {
    ctx.attachment("subscriptions.csv");
    return Readable.from(exportPayments(deps.database, query));
  }),
  handle(accountRoutes.getSubscription, (_, { deps, session }) =>
    getOwnSubscription(deps, session.user),
  ),
];
