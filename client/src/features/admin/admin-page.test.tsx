import type { AdminPaymentProof, UserCard } from "@shared/contract/account.ts";
import type { SystemHealth } from "@shared/contract/admin.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { ADMIN, makeUserCard } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";
import { adminToolMessages } from "../signals/bot-messages.ts";
import {
  actionMessages,
  adminMessages,
  confirmMessages,
  creditMessages,
  failureMessages,
  healthMessages,
  historyMessages,
  imageMessages,
  paymentMessages,
  userMessages,
} from "./messages.ts";

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
async function openPanel(users: UserCard[] = [makeUserCard()]) {
  api.reply("GET /admin/list-users", { users });
  api.reply("GET /admin/chart-images", { images: [image] });
  api.reply("GET /payment-details", noDetails);
  const { user } = openApp("/admin", ADMIN);
  await screen.findByRole("heading", { level: 1, name: adminMessages.title });
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
  await user.click(within(dialog).getByRole("button", { name: creditMessages.cancel }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
}

describe("when requests fail", () => {
  test("each section that cannot be loaded says so, and is loaded again on request", async () => {
    for (const path of ["/admin/list-users", "/admin/chart-images", "/payment-details"]) {
      api.drop(`GET ${path}`);
    }
    const { user } = openApp("/admin", ADMIN);
    const failure = await screen.findByText(userMessages.loadFailed);
    await screen.findByText(imageMessages.loadFailed);
    await screen.findByText(paymentMessages.loadFailed);
    api.reply("GET /admin/list-users", { users: [makeUserCard()] });
    const section = failure.closest("section") ?? document.body;
    await user.click(within(section).getByRole("button", { name: adminMessages.tryAgain }));
    await cardOf("ann");
  });

  test("each action on a user says that it failed, and changes nothing", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel([makeUserCard({ payment_proof: proof })]);
    const card = await cardOf("ann");
    await user.click(within(card).getByRole("button", { name: actionMessages.approve }));
    await within(card).findByText(failureMessages.approve("ann"));
    await user.click(within(card).getByRole("button", { name: actionMessages.allowImages }));
    await within(card).findByText(failureMessages.imageAccess);

    await user.click(within(card).getByRole("button", { name: actionMessages.grantCredits }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText(creditMessages.label), "5");
    await user.click(within(dialog).getByRole("button", { name: creditMessages.submit }));
    const alert = await within(dialog).findByRole("alert");
    expect(alert.textContent).toBe(failureMessages.grantCredits);
    await user.click(within(dialog).getByRole("button", { name: creditMessages.cancel }));

    const refusals = [
      [actionMessages.clearHistory, failureMessages.clearHistory("ann")],
      [actionMessages.deleteProof, failureMessages.deleteProof("ann")],
      [actionMessages.deleteUser, failureMessages.deleteUser("ann", "Out of order.")],
    ] as const;
    for (const [name, text] of refusals) await expectRefusal(user, { place: card, name, text });
    expect(card.textContent).toContain(userMessages.pending);
    expect(card.textContent).toContain("Jane Miller");
  });

  test("a user whose approval could not be revoked stays approved", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel([makeUserCard({ approved: true })]);
    const place = await cardOf("ann");
    const text = failureMessages.revoke("ann");
    await expectRefusal(user, { place, name: actionMessages.revoke, text });
    expect(place.textContent).toContain(userMessages.approved);
  });

  test("the actions on all users say so", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel();
    const refusals = [
      [imageMessages.deleteImage, failureMessages.deleteImage("Out of order.")],
      [imageMessages.cleanup, failureMessages.cleanup("Out of order.")],
      [historyMessages.clearAll, failureMessages.clearAll("Out of order.")],
    ] as const;
    const place = screen.getByRole("main");
    for (const [name, text] of refusals) await expectRefusal(user, { place, name, text });
  });

  test("payment details that were not saved stay in the form", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel();
    const field = await screen.findByLabelText(paymentMessages.fields.skrill_details);
    await user.type(field, "somebody@example.com");
    await user.click(screen.getByRole("button", { name: paymentMessages.save }));
    await screen.findByText(failureMessages.paymentDetails);
    screen.getByDisplayValue("somebody@example.com");
  });
});

test("revoking asks first, names what will be lost, and can be cancelled", async () => {
  const user = await openPanel([makeUserCard({ approved: true })]);
  const card = await cardOf("ann");
  await user.click(within(card).getByRole("button", { name: actionMessages.revoke }));
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog.textContent).toContain(confirmMessages.revoke("ann"));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(api.bodiesOf("POST /admin/revoke/ann")).toEqual([]);

  api.reply("POST /admin/revoke/ann", { detail: "Revoked." });
  api.reply("GET /admin/list-users", { users: [makeUserCard()] });
  await confirmAction(user, { place: card, name: actionMessages.revoke });
  await waitFor(() => expect(card.textContent).toContain(userMessages.pending));
});

test("an invalid number of credits is refused before it is sent", async () => {
  const user = await openPanel();
  const card = await cardOf("ann");
  await user.click(within(card).getByRole("button", { name: actionMessages.grantCredits }));
  const dialog = await screen.findByRole("dialog");
  await user.type(within(dialog).getByLabelText(creditMessages.label), "1e3");
  await user.click(within(dialog).getByRole("button", { name: creditMessages.submit }));
  await within(dialog).findByText(creditMessages.invalid);
  expect(api.bodiesOf("POST /admin/grant-image-credits/ann")).toEqual([]);
});

test("users are found by name and by what they wait for", async () => {
  const user = await openPanel([
    makeUserCard(),
    makeUserCard({ username: "bob", email: "bob@example.com" }),
  ]);
  await cardOf("bob");
  await user.type(screen.getByLabelText(userMessages.search), "ANN");
  await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(1));
  const filter = (name: string) => screen.getByRole("button", { name: new RegExp(`^${name}`) });
  await user.click(filter(userMessages.filters.proof));
  await screen.findByText(userMessages.noMatch);
  await user.click(filter(userMessages.filters.pending));
  await cardOf("ann");
});

test("an approved user can be revoked only, a pending one approved only", async () => {
  await openPanel([makeUserCard(), makeUserCard({ username: "bob", approved: true })]);
  const isDisabled = async (name: string, action: string) =>
    within(await cardOf(name))
      .getByRole("button", { name: action })
      .hasAttribute("disabled");
  expect(await isDisabled("ann", actionMessages.approve)).toBe(false);
  expect(await isDisabled("ann", actionMessages.revoke)).toBe(true);
  expect(await isDisabled("bob", actionMessages.approve)).toBe(true);
  expect(await isDisabled("bob", actionMessages.revoke)).toBe(false);
});

test("all histories are cleared after a question, with the server's word on what was deleted", async () => {
  const detail = "Deleted 3 signals of 2 users.";
  api.reply("POST /admin/clear-all-signal-history", { detail });
  const user = await openPanel();
  await confirmAction(user, { place: screen.getByRole("main"), name: historyMessages.clearAll });
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
    await screen.findByText(healthMessages.verdicts.down);
    await screen.findByText((text) => text.startsWith(healthMessages.noWorker));
    await screen.findByText("1 min 15 s");
    const at = new Date().toISOString();
    const worker = { id: "host:1:a", started_at: at, seen_at: at, concurrency: 50, providers: [] };
    api.reply("GET /admin/health", {
      ...down,
      queue: { waiting: 0, running: 0, oldest_waiting_seconds: 0 },
      workers: [{ ...worker, market_data: "replay", analyst: "rules" }],
    });
    await vi.advanceTimersByTimeAsync(5_000);
    await screen.findByText(healthMessages.verdicts.ok);
    await screen.findByText(healthMessages.noProviders);
  } finally {
    vi.useRealTimers();
  }
});

describe("the admin tools on the bot page", () => {
  test("clean up images after a question, with the server's word on what was deleted", async () => {
    api.reply("POST /admin/cleanup-images", { detail: "2 chart images deleted.", deleted: 2 });
    const { user } = openApp("/bot", ADMIN);
    await screen.findByRole("heading", { name: adminToolMessages.title });
    await confirmAction(user, { place: screen.getByRole("main"), name: adminToolMessages.cleanup });
    await screen.findByText("2 chart images deleted.");
  });

  test("say that a cleanup failed", async () => {
    api.fail("POST /admin/cleanup-images", { status: 500, detail: "Out of order." });
    const { user } = openApp("/bot", ADMIN);
    await screen.findByRole("heading", { name: adminToolMessages.title });
    const text = adminToolMessages.failed("Out of order.");
    const place = screen.getByRole("main");
    await expectRefusal(user, { place, name: adminToolMessages.cleanup, text });
  });

  test("are not there for traders", async () => {
    openApp("/bot", {});
    await screen.findByRole("button", { name: "Get Signal" });
    expect(screen.queryByText(adminToolMessages.title)).toBeNull();
  });
});
