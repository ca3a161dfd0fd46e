import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { forRequest, sessionOf } from "../../http/context.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { clearAllHistory, clearHistory } from "./clear-history.ts";
import { deleteUser } from "./delete-user.ts";
import {
  approveUser,
  grantCredits,
  listUsers,
  revokeUser,
  setImageAccess,
} from "./manage-users.ts";
import { setRole } from "./set-role.ts";

/** `1 signal`, `2 signals`. */
const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Administration of users, their credits and their history. */
export const createUserRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(adminRoutes.listUsers, (_, ctx) => listUsers(deps, sessionOf(ctx).user)),
  handle(adminRoutes.approveUser, async ({ params }, ctx) => {
    const { username } = await approveUser(forRequest(deps, ctx), {
      admin: sessionOf(ctx).user,
      ...params,
    });
    return { detail: `${username} is approved.` };
  }),
  handle(adminRoutes.revokeUser, async ({ params }, ctx) => {
    const { username } = await revokeUser(forRequest(deps, ctx), {
      admin: sessionOf(ctx).user,
      ...params,
    });
    return { detail: `${username} is no longer approved.` };
  }),
  handle(adminRoutes.deleteUser, async ({ params }, ctx) => {
    const { username } = await deleteUser(forRequest(deps, ctx), {
      admin: sessionOf(ctx).user,
      ...params,
    });
    return { detail: `Deleted ${username}.` };
  }),
  handle(adminRoutes.clearHistory, async ({ params }, ctx) => {
    const { user, deleted } = await clearHistory(forRequest(deps, ctx), {
      admin: sessionOf(ctx).user,
      ...params,
    });
    return { detail: `Deleted ${count(deleted, "signal")} of ${user.username}.` };
  }),
  handle(adminRoutes.clearAllHistory, async (_, ctx) => {
    const { deleted, users } = await clearAllHistory(forRequest(deps, ctx), {
      admin: sessionOf(ctx).user,
    });
    return { detail: `Deleted ${count(deleted, "signal")} of ${count(users, "user")}.` };
  }),
  handle(adminRoutes.setImageAccess, async ({ params, body }, ctx) => {
    const input = { admin: sessionOf(ctx).user, ...params, ...body };
    const { username } = await setImageAccess(forRequest(deps, ctx), input);
    return { detail: `${username} may ${body.allow ? "now" : "no longer"} upload images.` };
  }),
  handle(adminRoutes.setRole, async ({ params, body }, ctx) => {
    const { user, isChanged } = await setRole(forRequest(deps, ctx), sessionOf(ctx), {
      ...params,
      ...body,
    });
    const role = `${body.role === "admin" ? "now" : "no longer"} an administrator`;
    return { detail: `${user.username} is ${isChanged ? role : "signed out everywhere"}.` };
  }),
  handle(adminRoutes.grantCredits, async ({ params, body }, ctx) => {
    const input = { admin: sessionOf(ctx).user, ...params, ...body };
    const { username, imageCredits } = await grantCredits(forRequest(deps, ctx), input);
    return { detail: `${username} now has ${count(imageCredits, "image credit")}.` };
  }),
];
