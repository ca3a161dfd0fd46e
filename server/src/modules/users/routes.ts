import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { AccountDeps } from "../accounts/identity/identity-provider.ts";
import { clearAllHistory, clearHistory } from "./clear-history.ts";
import { deleteUser } from "./delete-user.ts";
import { emailUsers } from "./email-users.ts";
import { getUserDetails, listUsers } from "./list-users.ts";
import { grantCredits, setImageAccess, setRole } from "./manage-users.ts";

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Administration of users, their credits and their history. */
export const userHandlers: BoundRoute<AccountDeps>[] = [
  handle(adminRoutes.listUsers, ({ query }, { deps, session }) =>
    listUsers(deps, session.user, query),
  ),
  handle(adminRoutes.getUser, ({ params }, { deps, session }) =>
    getUserDetails(deps, session.user, params.username),
  ),
  handle(adminRoutes.emailUsers, async ({ body }, { deps, session }) => {
    const sent = await emailUsers(deps, session, body);
    return { detail: `The email to ${count(sent, "user")} is being sent.` };
  }),
  handle(adminRoutes.deleteUser, async ({ params }, { deps, session }) => {
    const { username } = await deleteUser(deps, session, params.username);
    return { detail: `Deleted ${username}.` };
  }),
  handle(adminRoutes.clearHistory, async ({ params }, { deps, session }) => {
    const { user, deleted } = await clearHistory(deps, session, params.username);
    return { detail: `Deleted ${count(deleted, "signal")} of ${user.username}.` };
  }),
  handle(adminRoutes.clearAllHistory, async (_, { deps, session }) => {
    const { deleted, users } = await clearAllHistory(deps, session);
    return { detail: `Deleted ${count(deleted, "signal")} of ${count(users, "user")}.` };
  }),
  handle(adminRoutes.setImageAccess, async ({ params, body }, { deps, session }) => {
    const { username } = await setImageAccess(deps, session, params.username, body.allow);
    return { detail: `${username} may ${body.allow ? "now" : "no longer"} upload images.` };
  }),
  handle(adminRoutes.setRole, async ({ params, body }, { deps, session }) => {
    const { user, isChanged } = await setRole(deps, session, { ...params, ...body });
    const role = `${body.role === "admin" ? "now" : "no longer"} an administrator`;
    return { detail: `${user.username} is ${isChanged ? role : "signed out everywhere"}.` };
  }),
  handle(adminRoutes.grantCredits, async ({ params, headers, body }, { deps, session }) => {
    const grant = { credits: body.credits, idempotencyKey: headers["idempotency-key"] };
    const { username, imageCredits } = await grantCredits(deps, session, params.username, grant);
    return { detail: `${username} now has ${count(imageCredits, "image credit")}.` };
  }),
];
