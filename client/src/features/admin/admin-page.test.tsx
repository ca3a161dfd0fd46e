import type { AdminPaymentProof, Me, UserCard } from "@shared/contract/account.ts";
import type { SystemHealth } from "@shared/contract/admin.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { ADMIN, makeUserCard } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

const proof: AdminPaymentProof = {
  sender_name: "Jane Miller",
  filename: "proof.png",
  url: "/files/proof.png",
  submitted_at: "2026-11-20T12:00:00.000Z",
};
const image = {
  filename: "chart.png",
  size: 1_000,
  modified: "2026-11-20T12:00:00.000Z",
  url: "/files/chart.png",
  username: "ann",
};
const noDetails = {
  ...{ bank_details_1: "", bank_details_2: "", bank_details_3: "" },
  ...{ paypal_details: "", skrill_details: "", wise_details: "" },
};

/** Opens the admin panel with these users and one chart image. */
async function openPanel(users: UserCard[] = [makeUserCard()], admin: Partial<Me> = ADMIN) {
  api.reply("GET /admin/list-users", { users });
  api.reply("GET /admin/chart-images", { images: [image] });
  api.reply("GET /payment-details", noDetails);
  const { user } = openApp("/admin", admin);
  await screen.findByRole("heading", { level: 1, name: "Admin" });
  return user;
}

const cardOf = (name: string) => screen.findByRole("article", { name });

/** Presses the button `name` below `place`, and confirms. */
async function confirmAction(
  user: Awaited<ReturnType<typeof openPanel>>,
  { place, name }: { place: HTMLElement; name: string },
): Promise<HTMLElement> {
  await user.click(await within(place).findByRole("button", { name }));
  const dialog = await screen.findByRole("alertdialog");
  await user.click(within(dialog).getByRole("button", { name }));
  return dialog;
}

/** Confirms an action that fails: the dialog stays, says why, and can be left. */
async function expectRefusal(
  user: Awaited<ReturnType<typeof openPanel>>,
  action: { place: HTMLElement; name: string; text: string },
): Promise<void> {
  const dialog = await confirmAction(user, action);
  expect((await within(dialog).findByRole("alert")).textContent).toBe(action.text);
  await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
}

describe("when requests fail", () => {
  test("each section that cannot be loaded says so, and is loaded again on request", async () => {
    for (const path of ["/admin/list-users", "/admin/chart-images", "/payment-details"]) {
      api.drop(`GET ${path}`);
    }
    const { user } = openApp("/admin", ADMIN);
    const failure = await screen.findByText("Failed to load users.");
    await screen.findByText("Failed to load chart images.");
    await screen.findByText("Failed to load payment details.");
    api.reply("GET /admin/list-users", { users: [makeUserCard()] });
    const section = failure.closest("section") ?? document.body;
    await user.click(within(section).getByRole("button", { name: "Try again" }));
    await cardOf("ann");
  });

  test("each action on a user says that it failed, and changes nothing", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel([makeUserCard({ payment_proof: proof })]);
    const card = await cardOf("ann");
    await user.click(within(card).getByRole("button", { name: "Approve" }));
    await within(card).findByText("Failed to approve ann");
    await user.click(within(card).getByRole("button", { name: "Allow image upload" }));
    await within(card).findByText("Failed to update image upload permission.");

    await user.click(within(card).getByRole("button", { name: "Grant credits" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText("Number of credits"), "5");
    await user.click(within(dialog).getByRole("button", { name: "Grant" }));
    const alert = await within(dialog).findByRole("alert");
    expect(alert.textContent).toBe("Failed to grant upload credits.");
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));

    const refusals = [
      ["Clear history", "Failed to clear signal history for ann."],
      ["Delete proof", "Failed to delete proof for ann."],
      ["Delete user", "Failed to delete user ann. Error: Out of order."],
    ] as const;
    for (const [name, text] of refusals) await expectRefusal(user, { place: card, name, text });
    expect(card.textContent).toContain("Pending");
    expect(card.textContent).toContain("Jane Miller");
  });

  test("a user whose approval could not be revoked stays approved", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel([makeUserCard({ approved: true })]);
    const place = await cardOf("ann");
    const text = "Failed to revoke ann";
    await expectRefusal(user, { place, name: "Revoke", text });
    expect(place.textContent).toContain("Approved");
  });

  test("the actions on all users say so", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel();
    const refusals = [
      ["Delete image", "Failed to delete image. Error: Out of order."],
      ["Cleanup Images", "Failed to clean up images. Error: Out of order."],
      ["Clear all history", "Failed to clear all signal history. Error: Out of order."],
    ] as const;
    const place = screen.getByRole("main");
    for (const [name, text] of refusals) await expectRefusal(user, { place, name, text });
  });

  test("payment details that were not saved stay in the form", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel();
    const field = await screen.findByLabelText("Skrill");
    await user.type(field, "somebody@example.com");
    await user.click(screen.getByRole("button", { name: "Save payment details" }));
    await screen.findByText("Failed to update payment details.");
    screen.getByDisplayValue("somebody@example.com");
  });
});

test("payment details are saved with the password some time after the sign-in", async () => {
  api.fail("POST /admin/update-payment-details", {
    status: 403,
    code: "reauthentication-required",
    detail: "Enter your password to continue.",
  });
  const user = await openPanel();
  await user.type(await screen.findByLabelText("Skrill"), "seller@example.com");
  await user.click(screen.getByRole("button", { name: "Save payment details" }));
  await user.type(await screen.findByLabelText("Your password"), "secret-123");
  api.reply("POST /admin/update-payment-details", { detail: "The payment details are saved." });
  await user.click(screen.getByRole("button", { name: "Save payment details" }));
  await screen.findByText("The payment details are saved.");
  expect(api.bodiesOf("POST /admin/update-payment-details").at(-1)).toContain(
    '"password":"secret-123"',
  );
  expect(screen.queryByLabelText("Your password")).toBeNull();
});

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
  api.reply("GET /admin/list-users", { users: [makeUserCard()] });
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
  await user.click(within(await cardOf("ann")).getByRole("button", { name: "Make administrator" }));
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

  await user.click(within(await cardOf("bob")).getByRole("button", { name: "Make user" }));
  const demotion = await screen.findByRole("dialog", { name: "Make bob a user?" });
  await user.click(within(demotion).getByRole("button", { name: "Make user" }));
  await within(demotion).findByText("There must be at least one administrator.");
});

test("a user is signed out everywhere with the password", async () => {
  const user = await openPanel([makeUserCard()], ADMIN);
  const name = "Sign out everywhere";
  await user.click(within(await cardOf("ann")).getByRole("button", { name }));
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

test("users are found by name and by what they wait for", async () => {
  const user = await openPanel([
    makeUserCard(),
    makeUserCard({ username: "bob", email: "bob@example.com" }),
  ]);
  await cardOf("bob");
  await user.type(screen.getByLabelText("Search users"), "ANN");
  await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(1));
  const filter = (name: string) => screen.getByRole("button", { name: new RegExp(`^${name}`) });
  await user.click(filter("With proof"));
  await screen.findByText("No matching users.");
  await user.click(filter("Pending"));
  await cardOf("ann");
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

test("all histories are cleared after a question, with the server's word on what was deleted", async () => {
  const detail = "Deleted 3 signals of 2 users.";
  api.reply("POST /admin/clear-all-signal-history", { detail });
  const user = await openPanel();
  await confirmAction(user, { place: screen.getByRole("main"), name: "Clear all history" });
  await screen.findByText(detail);
});

const down: SystemHealth = {
  checked_at: new Date().toISOString(),
  queue: { waiting: 3, running: 0, oldest_waiting_seconds: 75 },
  workers: [],
  server: { event_feed: "running", version: "0.1.0" },
};

test("a system without a worker is reported, and its recovery shows within seconds", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    api.reply("GET /admin/health", down);
    await openPanel();
    await screen.findByText("Major outage");
    await screen.findByText((text) => text.startsWith("No active workers"));
    await screen.findByText("1 min 15 s");
    const at = new Date().toISOString();
    const worker = { id: "host:1:a", started_at: at, seen_at: at, concurrency: 50, providers: [] };
    api.reply("GET /admin/health", {
      ...down,
      queue: { waiting: 0, running: 0, oldest_waiting_seconds: 0 },
      workers: [{ ...worker, market_data: "replay", analyst: "rules" }],
    });
    await vi.advanceTimersByTimeAsync(5_000);
    await screen.findByText("All systems operational");
    await screen.findByText("Uses no live provider.");
  } finally {
    vi.useRealTimers();
  }
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

describe("the admin tools on the bot page", () => {
  test("clean up images after a question, with the server's word on what was deleted", async () => {
    api.reply("POST /admin/cleanup-images", { detail: "2 chart images deleted.", deleted: 2 });
    const { user } = openApp("/bot", ADMIN);
    await screen.findByRole("heading", { name: "Admin Tools" });
    await confirmAction(user, { place: screen.getByRole("main"), name: "Cleanup Images" });
    await screen.findByText("2 chart images deleted.");
  });

  test("say that a cleanup failed", async () => {
    api.fail("POST /admin/cleanup-images", { status: 500, detail: "Out of order." });
    const { user } = openApp("/bot", ADMIN);
    await screen.findByRole("heading", { name: "Admin Tools" });
    const text = "Failed to clean up images. Error: Out of order.";
    const place = screen.getByRole("main");
    await expectRefusal(user, { place, name: "Cleanup Images", text });
  });

  test("are not there for traders", async () => {
    openApp("/bot", {});
    await screen.findByRole("button", { name: "Get Signal" });
    expect(screen.queryByText("Admin Tools")).toBeNull();
  });
});
