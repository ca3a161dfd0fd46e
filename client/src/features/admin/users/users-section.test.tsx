import type { UserCard } from "@shared/contract/account.ts";
import type { UserDetails } from "@shared/contract/admin.ts";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { type LiveEvent, notifyListeners } from "../../../lib/realtime/events.ts";
import { ADMIN, makeHistoryItem, makeUserCard } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import {
  cardOf,
  confirmAction,
  listOf,
  openPanel,
  overview,
  adminEventPlace as place,
  proof,
  serveUsers,
} from "../../../testing/open-admin.ts";
import { openApp } from "../../../testing/open-app.tsx";

test("revoking asks first, names what will be lost, and can be cancelled", async () => {
  const user = await openPanel([makeUserCard({ approved: true })]);
  const card = await cardOf("ann");
  await user.click(within(card).getByRole("button", { name: "Revoke" }));
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog.textContent).toContain(
    "ann loses access to the signal bot and signal history immediately. Signals, credits and payment proof are kept.",
  );
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(api.bodiesOf("POST /admin/revoke/ann")).toEqual([]);

  api.reply("POST /admin/revoke/ann", { detail: "Revoked." });
  serveUsers([makeUserCard()]);
  await confirmAction(user, { place: card, name: "Revoke" });
  await waitFor(() => expect(card.textContent).toContain("Pending"));
});

test("a role is changed with the password and the code, and a refusal is shown", async () => {
  api.fail("POST /admin/set-role/ann", {
    ...{ status: 403, code: "wrong-password", detail: "Wrong password or code." },
  });
  api.fail("POST /admin/set-role/bob", {
    ...{ status: 409, code: "last-admin", detail: "There must be at least one administrator." },
  });
  const two_factor = { enabled: true, recovery_codes_left: 10 };
  const bob = makeUserCard({ username: "bob", role: "admin" });
  const user = await openPanel([makeUserCard(), bob], { ...ADMIN, two_factor });
  await user.click(
    within(await openDrawer(user, "ann")).getByRole("button", { name: "Make administrator" }),
  );
  const dialog = await screen.findByRole("dialog", { name: "Make ann an administrator?" });
  await user.type(within(dialog).getByLabelText("Your password"), "secret-123");
  await user.type(within(dialog).getByLabelText("Code of your authenticator app"), "123456");
  const submit = within(dialog).getByRole("button", { name: "Make administrator" });
  await user.click(submit);
  await within(dialog).findByText("Wrong password or code.");
  api.reply("POST /admin/set-role/ann", { detail: "ann is now an administrator." });
  await user.click(submit);
  await screen.findByText("ann is now an administrator.");
  expect(api.bodiesOf("POST /admin/set-role/ann").at(-1)).toBe(
    '{"role":"admin","password":"secret-123","code":"123456"}',
  );

  await user.keyboard("{Escape}");
  await user.click(
    within(await openDrawer(user, "bob", bob)).getByRole("button", { name: "Make user" }),
  );
  const demotion = await screen.findByRole("dialog", { name: "Make bob a user?" });
  await user.click(within(demotion).getByRole("button", { name: "Make user" }));
  await within(demotion).findByText("There must be at least one administrator.");
});

test("a user is signed out everywhere with the password", async () => {
  const user = await openPanel([makeUserCard()], ADMIN);
  const name = "Sign out everywhere";
  await user.click(within(await openDrawer(user, "ann")).getByRole("button", { name }));
  const dialog = await screen.findByRole("dialog", { name: "Sign ann out everywhere?" });
  api.reply("POST /admin/set-role/ann", { detail: "ann is signed out everywhere." });
  await user.type(within(dialog).getByLabelText("Your password"), "secret-123");
  await user.click(within(dialog).getByRole("button", { name }));
  await screen.findByText("ann is signed out everywhere.");
  expect(api.bodiesOf("POST /admin/set-role/ann")).toEqual([
    '{"role":"user","password":"secret-123"}',
  ]);
});

test("an invalid number of credits is refused before it is sent", async () => {
  const user = await openPanel();
  const card = await cardOf("ann");
  await user.click(within(card).getByRole("button", { name: "Grant credits" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText("Number of credits"), "1e3");
  await user.click(within(dialog).getByRole("button", { name: "Grant" }));
  await within(dialog).findByText("Invalid number.");
  expect(api.bodiesOf("POST /admin/grant-image-credits/ann")).toEqual([]);
});

/** Opens the drawer of a user. */
async function openDrawer(
  user: Awaited<ReturnType<typeof openPanel>>,
  name: string,
  card = makeUserCard({ username: name }),
): Promise<HTMLElement> {
  const details: UserDetails = {
    user: card,
    credits: [
      {
        ...{ id: "1", at: "2026-11-20T12:00:00.000Z", kind: "grant", amount: 5, balance: 5 },
        ...{ by: "root", why: "Granted by an administrator." },
      },
    ],
    signals: [makeHistoryItem({ symbol: "XAU/USD", outcome: "WIN" })],
  };
  api.reply(`GET /admin/users/${name}`, details);
  api.reply("GET /admin/security-log", { entries: [], next_cursor: null });
  await user.click(within(await cardOf(name)).getByRole("button", { name: "Details" }));
  const drawer = await screen.findByRole("dialog", { name });
  await within(drawer).findByRole("region", { name: "Credits" });
  return drawer;
}

test("a user's drawer shows their proof, subscription, credits, signals and security log", async () => {
  const user = await openPanel();
  const drawer = await openDrawer(user, "ann");
  const textOf = (name: string) => within(drawer).getByRole("region", { name }).textContent;
  expect(textOf("Payment proof")).toContain("No proof.");
  expect(textOf("Subscription")).toContain("No subscription.");
  expect(textOf("Credits")).toContain("+5 Granted by an administrator. By root.Balance 5");
  expect(textOf("Signals")).toContain("BUY XAU/USD, 1hWIN");
  await waitFor(() => expect(textOf("Security log")).toContain("No entries."));
  await user.click(within(drawer).getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a drawer that cannot be loaded says so", async () => {
  serveUsers([makeUserCard()]);
  api.fail("GET /admin/users/gone", { status: 404, detail: "There is no such user." });
  openApp("/admin/users?user=gone", ADMIN);
  await screen.findByText("There is no such user.");
});

test("the server searches and filters, and the address keeps what was chosen", async () => {
  serveUsers([makeUserCard()]);
  api.reply("GET /admin/overview", overview);
  const { user, address } = openApp("/admin/users?status=pending", ADMIN);
  const lastQuery = () => Object.fromEntries(api.requests.filter(isUserPage).at(-1)?.query ?? []);
  await cardOf("ann");
  expect(lastQuery()).toEqual({ status: "pending", limit: "50" });
  serveUsers([]);
  await user.type(screen.getByLabelText("Search users"), "nobody ");
  await screen.findByText("No matching users.");
  expect(lastQuery()).toEqual({ status: "pending", limit: "50", search: "nobody" });
  expect(address()).toBe("/admin/users?status=pending&search=nobody");
  serveUsers([makeUserCard()]);
  await user.click(screen.getByRole("button", { name: "Show all users" }));
  await cardOf("ann");
  expect(address()).toBe("/admin/users");
  await user.click(screen.getByRole("button", { name: /^Approved/ }));
  await waitFor(() => expect(lastQuery()).toEqual({ status: "approved", limit: "50" }));
});

const isUserPage = ({ route, query }: (typeof api.requests)[number]) =>
  route === "GET /admin/list-users" && query.get("limit") !== "200";

test("further users are loaded page by page", async () => {
  api.reply("GET /admin/list-users", ({ query }) => {
    if (query.get("status") === "proof") return listOf([]);
    const isSecond = query.has("cursor");
    const users = [makeUserCard({ username: isSecond ? "bob" : "ann" })];
    return { ...listOf(users, isSecond ? null : "1_0123456789abcdef01234567"), total: 2 };
  });
  const { user } = openApp("/admin/users", ADMIN);
  await screen.findByText("1 of 2");
  await user.click(screen.getByRole("button", { name: "Show more users" }));
  await cardOf("bob");
  expect(screen.queryByRole("button", { name: "Show more users" })).toBeNull();
});

/** Three users whose proofs wait, in the order of their submission. */
const waitingUsers = ["ann", "bob", "eve"].map((username, index) =>
  makeUserCard({
    username,
    payment_proof: { ...proof, submitted_at: `2026-11-2${index}T12:00:00.000Z` },
  }),
);

const reviewOf = (name: string) =>
  screen.findByRole("dialog", { name: `Payment proof of ${name}` });

describe("the review of payment proofs", () => {
  test("approves with A, asks before D deletes, and follows with the next proof", async () => {
    api.reply("POST /admin/approve/ann", { detail: "ann is approved." });
    api.reply("POST /admin/delete-proof/bob", { detail: "Deleted." });
    const user = await openPanel(waitingUsers);
    await user.click(await screen.findByRole("button", { name: "Review proofs" }));
    await reviewOf("ann");
    screen.getByText("1 of 3");
    serveUsers(waitingUsers.slice(1));
    await user.keyboard("a");
    await reviewOf("bob");
    await screen.findByText("1 of 2");
    await user.keyboard("d");
    const question = await screen.findByRole("alertdialog");
    // Its keys do not reach the review below.
    fireEvent.keyDown(question, { key: "a" });
    serveUsers(waitingUsers.slice(2));
    await user.click(within(question).getByRole("button", { name: "Delete proof" }));
    await reviewOf("eve");
    expect(api.bodiesOf("POST /admin/approve/bob")).toEqual([]);
    expect(api.bodiesOf("POST /admin/approve/ann")).toHaveLength(1);
  });

  test("turns with the arrow keys, and ends after the last proof", async () => {
    api.reply("POST /admin/approve/bob", { detail: "bob is approved." });
    api.reply("POST /admin/approve/eve", { detail: "eve is approved." });
    const user = await openPanel(waitingUsers.slice(1));
    await user.click(within(await cardOf("bob")).getByRole("button", { name: /^Enlarge/ }));
    await reviewOf("bob");
    await screen.findByText("1 of 2");
    await user.keyboard("{ArrowRight}");
    await reviewOf("eve");
    await user.keyboard("{ArrowRight}{ArrowLeft}");
    await reviewOf("bob");
    serveUsers(waitingUsers.slice(2));
    await user.keyboard("a");
    await reviewOf("eve");
    await screen.findByText("1 of 1");
    serveUsers([]);
    await user.keyboard("a");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await screen.findByText("No proofs are waiting.");
  });

  test("stays at a proof whose approval failed, and says why", async () => {
    api.fail("POST /admin/approve/ann", { status: 500, detail: "Out of order." });
    const user = await openPanel(waitingUsers);
    await user.click(await screen.findByRole("button", { name: "Review proofs" }));
    const dialog = await reviewOf("ann");
    await user.click(within(dialog).getByRole("button", { name: "Approve" }));
    await within(dialog).findByText("Failed to approve ann");
    within(dialog).getByText("Out of order.");
  });

  test("shows what another administrator did to the open proof", async () => {
    const user = await openPanel(waitingUsers);
    await user.click(await screen.findByRole("button", { name: "Review proofs" }));
    const dialog = await reviewOf("ann");
    const update = (change: Partial<UserCard>): LiveEvent => ({
      ...{ ...place, name: "user:updated", data: makeUserCard({ username: "ann", ...change }) },
    });
    const payment_proof = { ...proof, reviewed_at: place.at };
    serveUsers(waitingUsers.slice(1));
    act(() => notifyListeners(update({ approved: true, payment_proof })));
    expect(dialog.textContent).toContain("Approved");
    await waitFor(() => expect(dialog.textContent).toContain("2 waiting"));
    act(() => notifyListeners(update({ approved: true })));
    within(dialog).getByText("This proof was deleted.");
    await user.keyboard("{ArrowRight}");
    await reviewOf("bob");
  });
});

test("an approved user can be revoked only, a pending one approved only", async () => {
  await openPanel([makeUserCard(), makeUserCard({ username: "bob", approved: true })]);
  const isDisabled = async (name: string, action: string) =>
    within(await cardOf(name))
      .getByRole("button", { name: action })
      .hasAttribute("disabled");
  expect(await isDisabled("ann", "Approve")).toBe(false);
  expect(await isDisabled("ann", "Revoke")).toBe(true);
  expect(await isDisabled("bob", "Approve")).toBe(true);
  expect(await isDisabled("bob", "Revoke")).toBe(false);
});

const submitted_at = "2026-10-20T12:00:00.000Z";

test("a repeated proof is shown beside the earlier one", async () => {
  const earlier_proof = { submitted_at, state: "stored", url: "/files/earlier.png" } as const;
  const payment_proof = { ...proof, duplicate_of: "bob", earlier_proof };
  const user = await openPanel([makeUserCard({ payment_proof })]);
  const card = await cardOf("ann");
  expect(card.textContent).toContain("Duplicate image. Also submitted by bob on ");
  await user.click(within(card).getByRole("button", { name: "Compare images" }));
  const dialog = await screen.findByRole("dialog", { name: "Compare proofs of payment" });
  const images = within(dialog).getAllByRole("img");
  expect(images.map((shown) => shown.getAttribute("src"))).toEqual([
    "/files/proof.png",
    "/files/earlier.png",
  ]);
  expect(images.map((shown) => shown.getAttribute("alt"))).toEqual([
    "ann, this proof",
    "bob, earlier",
  ]);
});

test.each([
  ["replaced", "bob", "Also submitted by bob", "That proof was replaced"],
  ["deleted", "ann", "Also submitted by the same user", "were deleted."],
  ["user-deleted", "a deleted user", "Also submitted by a deleted user", "That user was deleted"],
] as const)("a repeated proof whose earlier one is %s says so", async (state, by, ...texts) => {
  const payment_proof = { ...proof, duplicate_of: by, earlier_proof: { submitted_at, state } };
  await openPanel([makeUserCard({ payment_proof })]);
  const card = await cardOf("ann");
  for (const text of texts) expect(card.textContent).toContain(text);
  expect(within(card).queryByRole("button", { name: "Compare images" })).toBeNull();
});
