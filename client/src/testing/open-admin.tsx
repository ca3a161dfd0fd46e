import type { AdminPaymentProof, Me, UserCard } from "@shared/contract/account.ts";
import type { Overview } from "@shared/contract/admin.ts";
import type { SubscriptionSummary } from "@shared/contract/subscription.ts";
import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect } from "vitest";
import { UsersPage } from "../features/admin/admin-pages.tsx";
import { useAdminSync } from "../features/admin/admin-state.ts";
import { ProofReview, WaitingProofs } from "../features/admin/users/proof-review.tsx";
import { ADMIN, makeUserCard, NO_PAYMENT_DETAILS } from "./factories.ts";
import { api } from "./fake-api.ts";
import { openApp, openPart } from "./open-app.tsx";

/** Where an event of the administrators' stream stands. */
export const adminEventPlace = {
  stream: "admins",
  seq: 1,
  at: "2026-11-23T12:00:00.000Z",
} as const;

export const proof: AdminPaymentProof = {
  id: "0123456789abcdef01234567",
  sender_name: "Jane Miller",
  filename: "proof.png",
  url: "/files/proof.png",
  submitted_at: "2026-11-20T12:00:00.000Z",
};
/** Three users whose proofs wait, in the order of their submission. */
export const waitingUsers = ["ann", "bob", "eve"].map((username, index) =>
  makeUserCard({
    username,
    payment_proof: { ...proof, submitted_at: `2026-11-2${index}T12:00:00.000Z` },
  }),
);

export const chartImage = {
  filename: "chart.png",
  size: 1_000,
  modified: "2026-11-20T12:00:00.000Z",
  url: "/files/chart.png",
  username: "ann",
};
export const overview: Overview = {
  users: 2,
  pending: 1,
  proofs: 0,
  problems: [],
  failed_signals: 0,
};

export const subscriptionSummary: SubscriptionSummary = {
  active: 12,
  grace: 2,
  ended_30_days: 3,
  ended: 9,
  ending_7_days: 4,
  monthly_revenue_usd: 1_500,
  monthly_revenue_change_usd: -150,
  by_plan: { starter: 3, trader: 3, pro: 5, institutional: 1 },
  proofs_waiting: 0,
  median_proof_submitted_at: null,
};

export const listOf = (users: UserCard[], next_cursor: string | null = null) => ({
  users,
  next_cursor,
  total: users.length,
});

/** Answers the lists of users as the server does. */
export function serveUsers(users: UserCard[]): void {
  const isWaiting = ({ payment_proof: proof }: UserCard) => proof !== null && !proof.reviewed_at;
  api.reply("GET /admin/list-users", ({ query }) =>
    listOf(query.get("status") === "proof" ? users.filter(isWaiting) : users),
  );
}

function serveAdmin(users: UserCard[], change: Partial<Overview> = {}): void {
  serveUsers(users);
  api.reply("GET /admin/overview", { ...overview, ...change });
  api.reply("GET /admin/subscriptions", subscriptionSummary);
  api.reply("GET /admin/chart-images", { images: [chartImage] });
  api.reply("GET /payment-details", NO_PAYMENT_DETAILS);
}

/** Opens the overview of the administrators in the whole application. */
export async function openPanel(
  users: UserCard[] = [makeUserCard()],
  change: Partial<Overview> = {},
): Promise<UserEvent> {
  serveAdmin(users, change);
  const { user } = openApp("/admin", ADMIN);
  await screen.findByRole("heading", { level: 1, name: "Admin" });
  return user;
}

/** Opens the page of the users alone. */
export function openUsers(
  users: UserCard[] = [makeUserCard()],
  { admin = ADMIN, path = "/admin/users" }: { admin?: Partial<Me>; path?: string } = {},
) {
  serveAdmin(users);
  return openPart(<UsersPage />, admin, path);
}

/** Opens the first of the proofs that wait, without the rest of the page. */
export async function openReview(users: UserCard[]) {
  serveAdmin(users);
  const { user } = openPart(<Proofs />, ADMIN, "/admin");
  await user.click(await screen.findByRole("button", { name: "Review proofs" }));
  return user;
}

function Proofs() {
  useAdminSync();
  return (
    <>
      <WaitingProofs />
      <ProofReview />
    </>
  );
}

/** The row of a user in the table. */
export const cardOf = (name: string) => screen.findByRole("row", { name });

/** Opens the overflow menu of a user's row. */
export async function menuOf(user: UserEvent, name: string): Promise<HTMLElement> {
  const label = `More actions for ${name}`;
  await user.click(within(await cardOf(name)).getByRole("button", { name: label }));
  return screen.findByRole("dialog", { name: `Actions for ${name}` });
}

export const reviewOf = (name: string) =>
  screen.findByRole("dialog", { name: `Payment proof of ${name}` });

/** Presses the button `name` below `place`, and confirms. */
export async function confirmAction(
  user: UserEvent,
  { place, name }: { place: HTMLElement; name: string },
): Promise<HTMLElement> {
  await user.click(await within(place).findByRole("button", { name }));
  const dialog = await screen.findByRole("alertdialog");
  await user.click(within(dialog).getByRole("button", { name }));
  return dialog;
}

/** Confirms an action that fails: the dialog stays, says why, and can be left. */
export async function expectRefusal(
  user: UserEvent,
  action: { place: HTMLElement; name: string; text: string },
): Promise<void> {
  const dialog = await confirmAction(user, action);
  expect((await within(dialog).findByRole("alert")).textContent).toBe(action.text);
  await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
}
