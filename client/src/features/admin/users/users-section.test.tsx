import type { UserCard } from "@shared/contract/account.ts";
import type { UserDetails } from "@shared/contract/admin.ts";
import type { BillingPeriod, Subscription } from "@shared/contract/subscription.ts";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { type LiveEvent, notifyListeners } from "../../../lib/realtime/events.ts";
import { ADMIN, makeHistoryItem, makeUserCard } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import {
  cardOf,
  confirmAction,
  listOf,
  menuOf,
  openPanel,
  openReview,
  openUsers,
  adminEventPlace as place,
  proof,
  reviewOf,
  serveUsers,
  waitingUsers,
} from "../../../testing/open-admin.tsx";
import { openPart } from "../../../testing/open-app.tsx";
import { UsersPage } from "../admin-pages.tsx";
import { DuplicateAlert } from "./user-proof.tsx";

const subscription: Subscription = {
  plan: "pro",
  status: "active",
  started_at: "2026-10-21T12:00:00.000Z",
  ends_at: "2026-11-21T12:00:00.000Z",
  grace_until: null,
};
const subscriber = makeUserCard({ approved: true, subscription });
const payment: BillingPeriod = {
  plan: "pro",
  months: 1,
  price_usd: 150,
  revoked_at: null,
  started_at: subscription.started_at,
  ends_at: subscription.ends_at,
  proof: { sender_name: "Jane Miller", submitted_at: subscription.started_at, url: "/first.png" },
};

test("revoking asks first, names what will be lost, and can be cancelled", async () => {
  const { user } = openUsers([subscriber]);
  const card = await cardOf("ann");
  await user.click(within(card).getByRole("button", { name: "Revoke" }));
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog.textContent).toContain(
    "ann loses access to the signal bot and signal history immediately. Signals, credits and payment proof are kept. The Pro subscription ends with it.",
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
    status: 403,
    code: "wrong-password",
    detail: "Wrong password or code.",
  });
  api.fail("POST /admin/set-role/bob", {
    status: 409,
    code: "last-admin",
    detail: "There must be at least one administrator.",
  });
  const two_factor = { enabled: true, recovery_codes_left: 10 };
  const bob = makeUserCard({ username: "bob", role: "admin" });
  const { user } = openUsers([makeUserCard(), bob], { admin: { ...ADMIN, two_factor } });
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
    within(await openDrawer(user, "bob", { user: bob })).getByRole("button", { name: "Make user" }),
  );
  const demotion = await screen.findByRole("dialog", { name: "Make bob a user?" });
  await user.click(within(demotion).getByRole("button", { name: "Make user" }));
  await within(demotion).findByText("There must be at least one administrator.");
});

test("a user is signed out everywhere with the password", async () => {
  const { user } = openUsers();
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

test("a change that has an opposite can be undone, once", async () => {
  const route = "POST /admin/set-image-access/ann";
  const sentences = { "allow=true": "Images are allowed.", "allow=false": "Images are blocked." };
  const isKnown = (body: string): body is keyof typeof sentences => body in sentences;
  api.reply(route, ({ body }) => ({ detail: isKnown(body) ? sentences[body] : body }));
  api.reply("POST /admin/grant-image-credits/ann", ({ body }) => ({ detail: body }));
  const { user } = openUsers();
  const card = await menuOf(user, "ann");
  await user.click(within(card).getByRole("button", { name: "Allow image upload" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await screen.findByText("Images are blocked.");
  expect(api.bodiesOf(route)).toEqual(["allow=true", "allow=false"]);
  await waitFor(() => expect(screen.queryByRole("button", { name: "Undo" })).toBeNull());

  const menu = await menuOf(user, "ann");
  await user.click(within(menu).getByRole("button", { name: "Grant credits" }));
  const dialog = await screen.findByRole("dialog", { name: "Grant credits to ann" });
  await user.type(within(dialog).getByLabelText("Number of credits"), "5");
  await user.click(within(dialog).getByRole("button", { name: "Grant" }));
  const undo = await screen.findByRole("button", { name: "Undo" });
  api.fail("POST /admin/grant-image-credits/ann", { status: 500, detail: "Out of order." });
  await user.click(undo);
  await screen.findByText("Undo failed");
  expect(api.bodiesOf("POST /admin/grant-image-credits/ann")).toEqual(["credits=5", "credits=-5"]);
});

test("an invalid number of credits is not sent; credits that are granted again after a lost answer count once, with one key per form and number", async () => {
  const route = "POST /admin/grant-image-credits/ann";
  const { user } = openUsers();
  const grant = async (credits: string) => {
    const dialog = await screen.findByRole("dialog", { name: "Grant credits to ann" });
    const field = within(dialog).getByLabelText("Number of credits");
    await user.clear(field);
    await user.type(field, credits);
    await user.click(within(dialog).getByRole("button", { name: "Grant" }));
  };
  const openForm = async () => {
    const menu = await menuOf(user, "ann");
    await user.click(within(menu).getByRole("button", { name: "Grant credits" }));
  };
  const untilClosed = (name: string) =>
    waitFor(() => expect(screen.queryByRole("dialog", { name })).toBeNull());
  const sent = async (count: number) => {
    await waitFor(() => expect(api.bodiesOf(route)).toHaveLength(count));
  };
  api.fail(route, { status: 503, detail: "The answer is lost." });
  await openForm();
  await grant("1e3");
  await screen.findByText("Invalid number.");
  await sent(0);
  for (const [index, credits] of ["5", "5", "6"].entries()) {
    await grant(credits);
    await sent(index + 1);
    await screen.findByText("Failed to grant upload credits.");
  }
  api.reply(route, ({ body }) => ({ detail: body }));
  await grant("5");
  await untilClosed("Grant credits to ann");
  // A click outside closes the menu, too.
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await untilClosed("Actions for ann");
  await sent(5);
  await openForm();
  await grant("5");
  await sent(6);
  const requests = api.requests.filter((request) => request.route === route);
  const keys = requests.map(({ headers }) => headers["idempotency-key"]);
  expect(keys[0]).toMatch(/^[\x21-\x7e]{20,64}$/);
  expect([keys[1], keys[3]]).toEqual([keys[0], keys[0]]);
  expect(new Set(keys).size).toBe(4);
});

/** Opens the drawer of a user. */
async function openDrawer(
  user: UserEvent,
  name: string,
  known: Partial<UserDetails> = {},
): Promise<HTMLElement> {
  const details: UserDetails = {
    user: makeUserCard({ username: name }),
    periods: [],
    api_keys: 2,
    credits: [
      {
        id: "1",
        at: "2026-11-20T12:00:00.000Z",
        kind: "grant",
        amount: 5,
        balance: 5,
        by: "root",
        why: "Granted by an administrator.",
      },
    ],
    signals: [makeHistoryItem({ symbol: "XAU/USD", outcome: "WIN" })],
    ...known,
  };
  api.reply(`GET /admin/users/${name}`, details);
  api.reply("GET /admin/security-log", { entries: [], next_cursor: null });
  await user.click(within(await cardOf(name)).getByRole("button", { name }));
  const drawer = await screen.findByRole("dialog", { name });
  await within(drawer).findByRole("region", { name: "Credits" });
  return drawer;
}

test("a user's drawer shows their proof, subscription, credits, signals and security log", async () => {
  const { user } = openUsers();
  const drawer = await openDrawer(user, "ann");
  const textOf = (name: string) => within(drawer).getByRole("region", { name }).textContent;
  expect(within(drawer).getByText("API keys").parentElement?.textContent).toBe("API keys2");
  expect(textOf("Payment proof")).toContain("No proof.");
  expect(textOf("Subscription")).toContain("No subscription.");
  expect(textOf("Credits")).toContain("+5 Granted by an administrator. By root.Balance 5");
  expect(textOf("Signals")).toContain("BUY XAU/USD, 1hWIN");
  await waitFor(() => expect(textOf("Security log")).toContain("No entries."));
  await user.click(within(drawer).getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a subscriber's drawer shows the subscription and each payment with its proof", async () => {
  const { user } = openUsers([subscriber]);
  const revoked = {
    ...payment,
    proof: null,
    months: 2,
    price_usd: 300,
    started_at: "2026-08-01T12:00:00.000Z",
    revoked_at: "2026-09-02T12:00:00.000Z",
  };
  const drawer = await openDrawer(user, "ann", { user: subscriber, periods: [payment, revoked] });
  const section = within(drawer).getByRole("region", { name: "Subscription" });
  for (const text of ["Pro, ends 21 Nov 2026", "Pro, 1 month$150", "Revoked 2 Sept 2026"]) {
    expect(section.textContent).toContain(text);
  }
  await user.click(within(section).getByRole("button", { name: /^Enlarge/ }));
  const image = await screen.findByRole("img", { name: "Proof from Jane Miller, 21 Oct 2026" });
  expect(image.getAttribute("src")).toBe("/first.png");
});

test("an approval has the plan of the proof, and shows the fee of the months", async () => {
  api.reply("POST /admin/approve/ann", { detail: "ann is approved." });
  const { user } = openUsers([makeUserCard({ payment_proof: { ...proof, plan: "pro" } })]);
  const card = await menuOf(user, "ann");
  expect(card.textContent).toContain("Fee $150");
  // The server would take the plan of the proof.
  expect(within(card).queryByRole("option", { name: "No plan" })).toBeNull();
  await user.selectOptions(within(card).getByLabelText("Months"), "2 months");
  expect(card.textContent).toContain("Fee $300");
  await user.click(within(card).getByRole("button", { name: "Approve" }));
  await screen.findByText("ann is approved.");
  expect(api.bodiesOf("POST /admin/approve/ann")).toEqual([
    `{"plan":"pro","months":2,"proof_id":"${proof.id}"}`,
  ]);
});

test("an approval without a plan has no end, and a plan starts a subscription later", async () => {
  const route = "POST /admin/approve/ann";
  api.reply(route, { detail: "ann is approved." });
  const { user } = openUsers();
  const card = await menuOf(user, "ann");
  expect(card.textContent).toContain("No end");
  serveUsers([makeUserCard({ approved: true })]);
  await user.click(within(card).getByRole("button", { name: "Approve" }));
  const row = await cardOf("ann");
  await waitFor(() => expect(row.textContent).toContain("Approved"));
  expect(within(card).queryByRole("button", { name: "Start subscription" })).toBeNull();
  await user.selectOptions(within(card).getByLabelText("Plan"), "Trader");
  await user.click(within(card).getByRole("button", { name: "Start subscription" }));
  await waitFor(
    () =>
      expect(api.bodiesOf(route)).toEqual([
        '{"proof_id":null}',
        '{"plan":"trader","months":1,"proof_id":null}',
      ]),
    {
      timeout: 30_000,
    },
  );
});

test("a renewal names the end that is shown, and is not repeated by mistake", async () => {
  api.reply("POST /admin/renew/ann", { detail: "Renewed." });
  const { user } = openUsers([subscriber]);
  const card = await menuOf(user, "ann");
  expect((await cardOf("ann")).textContent).toContain("Pro, ends 21 Nov 2026");
  await user.click(within(card).getByRole("button", { name: "Renew" }));
  await screen.findByText("Renewed.");
  const requests = api.requests.filter(({ route }) => route === "POST /admin/renew/ann");
  expect(requests.map(({ body }) => body)).toEqual([
    '{"plan":"pro","months":1,"proof_id":null,"ends_at":"2026-11-21T12:00:00.000Z"}',
  ]);
  expect(requests[0]?.headers["idempotency-key"]).toBe("renew-2026-11-21T12:00:00.000Z");
  const renew = within(card).getByRole("button", { name: "Renew" });
  expect(renew.hasAttribute("disabled")).toBe(true);
  await user.selectOptions(within(card).getByLabelText("Months"), "3 months");
  expect(renew.hasAttribute("disabled")).toBe(false);
});

test("a refused approval or renewal says why", async () => {
  const detail = "A subscription of ann with another plan is running.";
  api.fail("POST /admin/approve/bob", { status: 409, code: "subscription-running", detail });
  api.fail("POST /admin/renew/ann", {
    status: 404,
    code: "not-found",
    detail: "There is no such user.",
  });
  const { user } = openUsers([subscriber, makeUserCard({ username: "bob" })]);
  await user.click(within(await cardOf("bob")).getByRole("button", { name: "Approve" }));
  await screen.findByText("Failed to approve bob");
  screen.getByText(detail);
  const ann = await menuOf(user, "ann");
  await user.click(within(ann).getByRole("button", { name: "Renew" }));
  await within(ann).findByText("Failed to renew ann");
  within(ann).getByText("There is no such user.");
});

test("a drawer that cannot be loaded says so", async () => {
  api.fail("GET /admin/users/gone", { status: 404, detail: "There is no such user." });
  openUsers([], { path: "/admin/users?user=gone" });
  await screen.findByText("There is no such user.");
});

test("the server searches and filters, and the address keeps what was chosen", async () => {
  const { user, address } = openUsers([makeUserCard()], { path: "/admin/users?status=pending" });
  const lastQuery = () => Object.fromEntries(api.requests.filter(isUserPage).at(-1)?.query ?? []);
  await cardOf("ann");
  expect(lastQuery()).toEqual({ status: "pending", limit: "100" });
  serveUsers([]);
  await user.type(screen.getByLabelText("Search users"), "unknown ");
  await screen.findByText("No matching users.");
  expect(lastQuery()).toEqual({ status: "pending", limit: "100", search: "unknown" });
  expect(address()).toBe("/admin/users?status=pending&search=unknown");
  serveUsers([makeUserCard()]);
  await user.click(screen.getByRole("button", { name: "Show all users" }));
  await cardOf("ann");
  expect(address()).toBe("/admin/users");
  await user.click(screen.getByRole("button", { name: /^Approved/ }));
  await waitFor(() => expect(lastQuery()).toEqual({ status: "approved", limit: "100" }));
  await user.click(screen.getByRole("button", { name: "Ending 4" }));
  await waitFor(() => expect(lastQuery()).toEqual({ status: "ending", limit: "100" }));
  await user.click(screen.getByRole("button", { name: "In grace 2" }));
  await waitFor(() => expect(lastQuery()).toEqual({ status: "grace", limit: "100" }));
  await user.click(screen.getByRole("button", { name: "Ended 9" }));
  await waitFor(() => expect(lastQuery()).toEqual({ status: "ended", limit: "100" }));
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
  const { user } = openPart(<UsersPage />, ADMIN, "/admin/users");
  await screen.findByText("1 of 2");
  await user.click(screen.getByRole("button", { name: "Show more users" }));
  await cardOf("bob");
  expect(screen.queryByRole("button", { name: "Show more users" })).toBeNull();
});

describe("the review of payment proofs", () => {
  test("approves with A, asks before D deletes, and follows with the next proof", async () => {
    api.reply("POST /admin/approve/ann", { detail: "ann is approved." });
    api.reply("POST /admin/delete-proof/bob", { detail: "Deleted." });
    const user = await openReview(waitingUsers);
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

  test("renews with A, with the plan of the proof and beside the earlier payments", async () => {
    const renewal = {
      ...subscriber,
      payment_proof: { ...proof, plan: "trader", renewal: true },
    } as const;
    const empty = { credits: [], signals: [], api_keys: 0 };
    const details: UserDetails = { user: renewal, periods: [payment], ...empty };
    api.reply("GET /admin/users/ann", details);
    api.reply("POST /admin/renew/ann", { detail: "Renewed." });
    const user = await openReview([renewal, ...waitingUsers.slice(1)]);
    const dialog = await reviewOf("ann");
    await within(dialog).findByText("Proof from Jane Miller");
    for (const text of ["Trader, $100 a month Renewal", "Fee $100", "Pro, ends 21 Nov 2026"]) {
      expect(dialog.textContent).toContain(text);
    }
    // A list of options uses the arrow keys itself.
    await user.selectOptions(within(dialog).getByLabelText("Months"), "2 months");
    fireEvent.keyDown(within(dialog).getByLabelText("Months"), { key: "ArrowRight" });
    expect(dialog.textContent).toContain("Fee $200");
    serveUsers(waitingUsers.slice(1));
    await user.keyboard("a");
    await reviewOf("bob");
    expect(api.bodiesOf("POST /admin/renew/ann")).toEqual([
      `{"plan":"trader","months":2,"proof_id":"${proof.id}","ends_at":"2026-11-21T12:00:00.000Z"}`,
    ]);
  });

  test("stays at a proof whose approval failed, and says why", async () => {
    api.fail("POST /admin/approve/ann", { status: 500, detail: "Out of order." });
    const user = await openReview(waitingUsers);
    const dialog = await reviewOf("ann");
    await user.click(within(dialog).getByRole("button", { name: "Approve" }));
    await within(dialog).findByText("Failed to approve ann");
    within(dialog).getByText("Out of order.");
  });

  test("shows what another administrator did to the open proof", async () => {
    const user = await openReview(waitingUsers);
    const dialog = await reviewOf("ann");
    const update = (change: Partial<UserCard>): LiveEvent => ({
      ...place,
      name: "user:updated",
      data: makeUserCard({ username: "ann", ...change }),
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
  const { user } = openUsers([makeUserCard(), makeUserCard({ username: "bob", approved: true })]);
  for (const [name, possible, other] of [
    ["ann", "Approve", "Revoke"],
    ["bob", "Revoke", "Approve"],
  ] as const) {
    const row = within(await cardOf(name));
    row.getByRole("button", { name: possible });
    expect(row.queryByRole("button", { name: other })).toBeNull();
    const menu = within(await menuOf(user, name));
    const isDisabled = (action: string) =>
      menu.getByRole("button", { name: action }).hasAttribute("disabled");
    expect(isDisabled(possible)).toBe(false);
    expect(isDisabled(other)).toBe(true);
    await user.keyboard("{Escape}");
  }
});

const submitted_at = "2026-10-20T12:00:00.000Z";

test("a repeated proof is shown beside the earlier one", async () => {
  const earlier_proof = { submitted_at, state: "stored", url: "/files/earlier.png" } as const;
  const payment_proof = { ...proof, duplicate_of: "bob", earlier_proof };
  const ann = makeUserCard({ payment_proof });
  const { user } = openUsers([ann]);
  within(await cardOf("ann")).getByRole("img", { name: "Duplicate image" });
  const card = await openDrawer(user, "ann", { user: ann });
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
] as const)("a repeated proof whose earlier one is %s says so", (state, by, ...texts) => {
  const repeated = { ...proof, duplicate_of: by, earlier_proof: { submitted_at, state } };
  const { container } = render(<DuplicateAlert username="ann" proof={repeated} />);
  for (const text of texts) expect(container.textContent).toContain(text);
  expect(screen.queryByRole("button", { name: "Compare images" })).toBeNull();
});
