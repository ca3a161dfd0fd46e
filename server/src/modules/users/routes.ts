import Router from "@koa/router";
import {
  type ActionDone,
  creditGrantSchema,
  imageAccessSchema,
  type UserList,
} from "@shared/contract/admin.ts";
import { requireAdmin, requireUser } from "../../http/access.ts";
import { type AppContext, type AppRouter, type AppState, sessionOf } from "../../http/context.ts";
import { parseInput, parseMultipartForm } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";
import type { UserActionInput } from "../admin/audit-trail.ts";
import { clearAllHistory, clearHistory } from "./clear-history.ts";
import { deleteUser } from "./delete-user.ts";
import {
  approveUser,
  grantCredits,
  listUsers,
  revokeUser,
  setImageAccess,
} from "./manage-users.ts";

/** `1 signal`, `2 signals`. */
const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? "" : "s"}`;

const done = (detail: string): ActionDone => ({ detail });

const orderOf = (ctx: AppContext & { params: Record<string, string> }): UserActionInput => ({
  admin: sessionOf(ctx).user,
  username: ctx.params.username,
});

/** What administrators do with users, their credits and their history. */
export function createAdminUserRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const admin = [requireUser(deps), requireAdmin()];

  router.get("/admin/list-users", ...admin, async (ctx) => {
    ctx.body = (await listUsers(deps)) satisfies UserList;
  });

  router.post("/admin/approve/:username", ...admin, async (ctx) => {
    const { username } = await approveUser(deps, orderOf(ctx));
    ctx.body = done(`${username} is approved.`);
  });

  router.post("/admin/revoke/:username", ...admin, async (ctx) => {
    const { username } = await revokeUser(deps, orderOf(ctx));
    ctx.body = done(`${username} is no longer approved.`);
  });

  router.post("/admin/delete-user/:username", ...admin, async (ctx) => {
    const { username } = await deleteUser(deps, orderOf(ctx));
    ctx.body = done(`Deleted ${username}.`);
  });

  router.post("/admin/delete-signal-history/:username", ...admin, async (ctx) => {
    const { user, deleted } = await clearHistory(deps, orderOf(ctx));
    ctx.body = done(`Deleted ${count(deleted, "signal")} of ${user.username}.`);
  });

  router.post("/admin/clear-all-signal-history", ...admin, async (ctx) => {
    const { deleted, users } = await clearAllHistory(deps, { admin: sessionOf(ctx).user });
    ctx.body = done(`Deleted ${count(deleted, "signal")} of ${count(users, "user")}.`);
  });

  router.post("/admin/set-image-access/:username", ...admin, parseMultipartForm, async (ctx) => {
    const { allow } = parseInput(imageAccessSchema, ctx.request.body);
    const { username } = await setImageAccess(deps, { ...orderOf(ctx), allow });
    ctx.body = done(`${username} may ${allow ? "now" : "no longer"} upload images.`);
  });

  router.post("/admin/grant-image-credits/:username", ...admin, parseMultipartForm, async (ctx) => {
    const { credits } = parseInput(creditGrantSchema, ctx.request.body);
    const { username, imageCredits } = await grantCredits(deps, { ...orderOf(ctx), credits });
    ctx.body = done(`${username} now has ${count(imageCredits, "image credit")}.`);
  });

  return router;
}
