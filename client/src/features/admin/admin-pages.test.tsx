import type { Setup, SystemHealth } from "@shared/contract/admin.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { notifyListeners } from "../../lib/realtime/events.ts";
import { ADMIN, makeUserCard, NO_PAYMENT_DETAILS } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import {
  adminEventPlace,
  cardOf,
  chartImage,
  confirmAction,
  expectRefusal,
  menuOf,
  openPanel,
  openUsers,
  overview,
  proof,
  serveUsers,
  subscriptionSummary,
} from "../../testing/open-admin.tsx";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { BotPage } from "../bot/bot-page.tsx";
import { SystemPage } from "./admin-pages.tsx";
import { PaymentSection } from "./payment-section.tsx";
import { SetupChecklist } from "./setup-checklist.tsx";

describe("when requests fail", () => {
  test("each section that cannot be loaded says so, and is loaded again on request", async () => {
    for (const path of ["/admin/list-users", "/admin/chart-images", "/payment-details"]) {
      api.drop(`GET ${path}`);
    }
    const { user } = openApp("/admin", ADMIN);
    const failure = await screen.findByText("Failed to load users.");
    await screen.findByText("Failed to load chart images.");
    await screen.findByText("Failed to load payment details.");
    serveUsers([makeUserCard()]);
    const section = failure.closest("section") ?? document.body;
    await user.click(within(section).getByRole("button", { name: "Try again" }));
    await cardOf("ann");
  });

  test("each action on a user says that it failed, and changes nothing", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const { user } = openUsers([makeUserCard({ payment_proof: proof })]);
    const row = await cardOf("ann");
    await user.click(within(row).getByRole("button", { name: "Approve" }));
    await screen.findByText("Failed to approve ann");
    const card = await menuOf(user, "ann");
    await user.click(within(card).getByRole("button", { name: "Approve" }));
    await within(card).findByText("Failed to approve ann");
    await user.click(within(card).getByRole("button", { name: "Allow image upload" }));
    await within(card).findByText("Failed to update image upload permission.");

    await user.click(within(card).getByRole("button", { name: "Grant credits" }));
    const dialog = await screen.findByRole("dialog", { name: "Grant credits to ann" });
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
    expect(row.textContent).toContain("Pending");
    expect(row.textContent).toContain("Jane Miller");
  });

  test("a user whose approval could not be revoked stays approved", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const { user } = openUsers([makeUserCard({ approved: true })]);
    const place = await cardOf("ann");
    const text = "Failed to revoke ann";
    await expectRefusal(user, { place, name: "Revoke", text });
    expect(place.textContent).toContain("Approved");
  });

  test("the actions on all users say so; once histories are cleared, it says how many signals were deleted", async () => {
    api.failOthers({ status: 500, detail: "Out of order." });
    const user = await openPanel();
    const refusals = [
      ["Delete image", "Failed to delete image. Error: Out of order."],
      ["Cleanup Images", "Failed to clean up images. Error: Out of order."],
      ["Clear all history", "Failed to clear all signal history. Error: Out of order."],
    ] as const;
    const place = screen.getByRole("main");
    for (const [name, text] of refusals) await expectRefusal(user, { place, name, text });
    const detail = "Deleted 3 signals of 2 users.";
    api.reply("POST /admin/clear-all-signal-history", { detail });
    await confirmAction(user, { place, name: "Clear all history" });
    await screen.findByText(detail);
  });
});

test("payment details that are saved in another tab are in the form", async () => {
  await openPanel();
  const field = await screen.findByLabelText<HTMLTextAreaElement>("Skrill");
  const data = { ...NO_PAYMENT_DETAILS, skrill_details: "ann@example.com" };
  act(() => notifyListeners({ ...adminEventPlace, name: "payment-details:updated", data }));
  await waitFor(() => expect(field.value).toBe("ann@example.com"));
});

test("a chart image is deleted after a question, and is gone once the server says so", async () => {
  const user = await openPanel();
  const image = await screen.findByRole("button", { name: "Enlarge: Chart image of ann" });
  api.reply("DELETE /admin/delete-chart-image/chart.png", { detail: "The image is deleted." });
  await confirmAction(user, { place: screen.getByRole("main"), name: "Delete image" });
  const data = chartImage;
  act(() => notifyListeners({ ...adminEventPlace, name: "chart-image:deleted", data }));
  await waitFor(() => expect(image.isConnected).toBe(false));
});

test("payment details that were not saved stay in the form, and are saved with the password some time after the sign-in", async () => {
  const route = "POST /admin/update-payment-details";
  api.reply("GET /payment-details", NO_PAYMENT_DETAILS);
  api.fail(route, { status: 500, detail: "Out of order." });
  const { user } = openPart(<PaymentSection />, ADMIN);
  const save = () => user.click(screen.getByRole("button", { name: "Save payment details" }));
  await user.type(await screen.findByLabelText("Skrill"), "seller@example.com");
  await save();
  await screen.findByText("Failed to update payment details.");
  screen.getByDisplayValue("seller@example.com");

  api.fail(route, {
    status: 403,
    code: "reauthentication-required",
    detail: "Enter your password to continue.",
  });
  await save();
  await user.type(await screen.findByLabelText("Your password"), "secret-123");
  api.reply(route, { detail: "The payment details are saved." });
  await save();
  await screen.findByText("The payment details are saved.");
  expect(api.bodiesOf(route).at(-1)).toContain('"password":"secret-123"');
  expect(screen.queryByLabelText("Your password")).toBeNull();
});

test("payment details that are changed while others are saved stay in the form", async () => {
  const route = "POST /admin/update-payment-details";
  api.reply("GET /payment-details", NO_PAYMENT_DETAILS);
  api.reply(route, { detail: "The payment details are saved." });
  const release = api.hold(route);
  const { user } = openPart(<PaymentSection />, ADMIN);
  const save = await screen.findByRole("button", { name: "Save payment details" });
  await user.type(screen.getByLabelText("Skrill"), "seller@example.com");
  await user.click(save);
  await waitFor(() => expect(api.bodiesOf(route)).toHaveLength(1));
  await user.type(screen.getByLabelText("Wise"), "@seller");
  release();
  await screen.findByText("The payment details are saved.");
  await waitFor(() => expect(save.hasAttribute("disabled")).toBe(false));
  expect(screen.queryByText("Changed by another administrator")).toBeNull();
  await user.click(save);
  await waitFor(() => expect(api.bodiesOf(route)).toHaveLength(2));
  expect(JSON.parse(api.bodiesOf(route).at(-1) ?? "")).toMatchObject({
    skrill_details: "seller@example.com",
    wise_details: "@seller",
  });
});

describe("the setup checklist", () => {
  const setup: Setup = {
    payment_details: "done",
    contact: "missing",
    analyst: "no-key",
    market_data: "failing",
    email: "unreachable",
    two_factor: "off",
  };
  const complete: Setup = {
    ...setup,
    contact: "done",
    analyst: "done",
    market_data: "done",
    email: "done",
    two_factor: "done",
  };

  test("says what is left to do and where", async () => {
    api.reply("GET /admin/setup", setup);
    openPart(<SetupChecklist />, ADMIN);
    const list = await screen.findByRole("region", { name: "Setup" });
    await within(list).findByText("1 of 6 steps are done.");
    within(list).getByText(/^OPENAI_API_KEY is not set/);
    within(list).getByText("The mail server cannot be reached. Check SMTP_URL.");
    const link = within(list).getByRole("link", { name: "Turn on two-factor authentication" });
    expect(link.getAttribute("href")).toBe("/user-panel");
    expect(within(list).queryByRole("link", { name: "Enter the payment details" })).toBeNull();
  });

  test("is hidden once complete, and shown again on request", async () => {
    api.reply("GET /admin/setup", complete);
    const { user } = openPart(<SetupChecklist />, ADMIN);
    await user.click(await screen.findByRole("button", { name: "Show setup (6 of 6 done)" }));
    await screen.findByText("6 of 6 steps are done.");
    await user.click(screen.getByRole("button", { name: "Hide setup" }));
    expect(screen.queryByRole("region", { name: "Setup" })).toBeNull();
  });

  test("is announced on the dashboard until it is complete; the navigation counts what waits, and follows the events", async () => {
    api.reply("GET /admin/setup", setup);
    api.reply("GET /admin/overview", { ...overview, proofs: 2, problems: ["no-worker"] });
    openApp("/dashboard", ADMIN);
    await screen.findByText("Setup: 1 of 6 steps are done.");
    await screen.findByText("3 waiting for you");
    api.reply("GET /admin/overview", { ...overview, proofs: 1 });
    const data = makeUserCard();
    act(() => notifyListeners({ ...adminEventPlace, name: "user:updated", data }));
    await screen.findByText("1 waiting for you");
  });
});

test("the overview has today's figures and the failures of the system, and repeats no list of another page", async () => {
  await openPanel([], { problems: ["no-worker", "backlog"] });
  for (const [label, value] of [
    ["Monthly revenue", "$1,500"],
    ["Subscriptions", "12"],
    ["Pending approval", "1"],
  ] as const) {
    const term = await screen.findByText(label, { selector: "dt" });
    await waitFor(() => expect(term.nextSibling?.textContent).toBe(value));
  }
  await screen.findByText("No active workers");
  screen.getByText("Signals are waiting");
  await screen.findByText("No users yet.");
  expect(screen.queryByRole("region", { name: "Subscriptions" })).toBeNull();
  const linksOf = () => screen.getAllByRole("link").map((link) => link.textContent);
  expect(linksOf()).toEqual(expect.arrayContaining(["All users", "All images"]));
});

test("the page of the payments shows the subscriptions, and follows the events", async () => {
  const submittedAt = new Date(Date.now() - 2.5 * 3_600_000).toISOString();
  const waiting = { proofs_waiting: 3, median_proof_submitted_at: submittedAt };
  serveUsers([]);
  api.reply("GET /admin/overview", overview);
  api.reply("GET /admin/subscriptions", subscriptionSummary);
  openApp("/admin/payments", ADMIN);
  const section = await screen.findByRole("region", { name: "Subscriptions" });
  const shown = async (text: string) => waitFor(() => expect(section.textContent).toContain(text));
  await shown("Monthly revenue$1,500−$150 in 30 days");
  expect(section.textContent).toContain("Active by planStarter3Trader3Pro5Institutional1");
  expect(
    within(section)
      .getAllByRole("link")
      .map((link) => link.getAttribute("href")),
  ).toEqual(["ending", "grace", "ended", "proof"].map((status) => `/admin/users?status=${status}`));
  expect(section.textContent).not.toContain("Median wait");
  api.reply("GET /admin/subscriptions", { ...subscriptionSummary, ...waiting });
  const data = makeUserCard();
  act(() => notifyListeners({ ...adminEventPlace, name: "user:updated", data }));
  await shown("Proofs waiting3Median wait 2 h");
});

const down: SystemHealth = {
  checked_at: new Date().toISOString(),
  problems: ["no-worker"],
  queue: { waiting: 3, running: 0, oldest_waiting_seconds: 75 },
  workers: [],
  models: [],
  prices: { websocket: 8, polling: 11, fallback: 0 },
  server: { event_feed: "running", version: "0.1.0" },
};

test("the AI model is tested from the system page, with its faults and the result", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    const report = {
      address: "https://models.example/v1",
      model: "local",
      accepts: null,
      fault: { detail: "openai: no such model (404): check OPENAI_MODEL", at: down.checked_at },
      notices: ["The server does not list OPENAI_MODEL=local. Check the name."],
      test: null,
    };
    const up = { ...down, problems: ["model" as const], queue: { ...down.queue, waiting: 0 } };
    api.reply("GET /admin/health", { ...up, models: [report] });
    api.reply("POST /admin/test-model", { detail: "The model is being tested." });
    const { user } = openPart(<SystemPage />, ADMIN);
    await screen.findByText(report.notices[0] ?? "");
    expect(screen.getAllByText("No such model (404): check OPENAI_MODEL.")).toHaveLength(2);
    const asked = { requested_at: down.checked_at, result: null };
    api.reply("GET /admin/health", { ...up, models: [{ ...report, test: asked }] });
    await user.click(screen.getByRole("button", { name: "Test the model" }));
    await screen.findByText(/^Testing with one analysis/);
    const result = {
      is_usable: true,
      detail: "The advice passed all checks.",
      answers: 1,
      prompt_tokens: 3_100,
      completion_tokens: 400,
      cost_usd: null,
      latency_ms: 2_340,
    };
    const accepts = {
      response_format: "text",
      token_limit: "max_tokens",
      left_out: ["system_role"],
      learned_at: down.checked_at,
    };
    const healthy = { ...report, accepts, fault: null, notices: [], test: { ...asked, result } };
    api.reply("GET /admin/health", { ...up, problems: [], models: [healthy] });
    act(() => void vi.advanceTimersByTime(10_000));
    await screen.findByText("2.3 s");
    screen.getByText("3,100 + 400");
    screen.getByText("The server accepts text, max_tokens, without system_role.");
    expect(screen.queryByText(/^Testing with/)).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

test("a system without a worker is reported, and its recovery shows within seconds", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    api.reply("GET /admin/health", down);
    openPart(<SystemPage />, ADMIN);
    await screen.findByText("Major outage");
    await screen.findByText((text) => text.startsWith("No active workers"));
    await screen.findByText("1 min 15 s");
    const at = new Date().toISOString();
    const worker = { id: "host:1:a", started_at: at, seen_at: at, concurrency: 50, providers: [] };
    api.reply("GET /admin/health", {
      ...down,
      problems: [],
      queue: { waiting: 0, running: 0, oldest_waiting_seconds: 0 },
      workers: [{ ...worker, market_data: "replay", analyst: "rules" }],
    });
    await vi.advanceTimersByTimeAsync(5_000);
    await screen.findByText("All systems operational");
    await screen.findByText("No live data providers in use.");
  } finally {
    vi.useRealTimers();
  }
});

describe("the admin tools on the bot page", () => {
  test("clean up images after a question, with the server's word on what was deleted, or say that it failed", async () => {
    const route = "POST /admin/cleanup-images";
    api.fail(route, { status: 500, detail: "Out of order." });
    const { user } = openPart(<BotPage />, ADMIN);
    await screen.findByRole("heading", { name: "Admin Tools" });
    const action = { place: document.body, name: "Cleanup Images" };
    const text = "Failed to clean up images. Error: Out of order.";
    await expectRefusal(user, { ...action, text });
    api.reply(route, { detail: "2 chart images deleted.", deleted: 2 });
    await confirmAction(user, action);
    await screen.findByText("2 chart images deleted.");
  });

  test("are not there for traders", async () => {
    openPart(<BotPage />, {});
    await screen.findByRole("button", { name: "Get Signal" });
    expect(screen.queryByText("Admin Tools")).toBeNull();
  });
});
