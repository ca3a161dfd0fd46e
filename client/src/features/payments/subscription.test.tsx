import type { AccountReason } from "@shared/contract/events/event-data.ts";
import type { BillingPeriod, OwnSubscription } from "@shared/contract/subscription.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { applyAccountEvent } from "../../domain/me.ts";
import { formatDateTime, formatDay, formatUtc } from "../../lib/format.ts";
import { type LiveEvent, notifyListeners } from "../../lib/realtime/events.ts";
import { inDays, makeMe, makePeriod, makeSubscription } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

function servePayments(
  periods: BillingPeriod[],
  next_credits: OwnSubscription["next_credits"] = null,
): void {
  api.reply("GET /me/subscription", { subscription: null, next_credits, periods });
}

/** As the live connection does. */
const receive = (event: LiveEvent) =>
  act(() => {
    applyAccountEvent(event);
    notifyListeners(event);
  });

const place = { stream: "user", seq: 1, at: "2026-11-23T12:00:00.000Z" } as const;

const accountEvent = (reason: AccountReason, approved: boolean): LiveEvent => ({
  ...place,
  name: "account:updated",
  data: { approved, role: "user", allow_image_upload: false, image_credits: 120, reason },
});

/** The dashboard's card, without the form in it. */
async function openCard(): Promise<HTMLElement> {
  const title = await screen.findByRole("heading", { name: "Subscription" });
  return title.closest("header")?.parentElement ?? document.body;
}

const factOf = (card: HTMLElement, label: string) =>
  within(card).getByText(label).nextElementSibling?.textContent;

test("a running subscription shows plan, end, days left, next credits and how to renew it", async () => {
  const subscription = makeSubscription();
  servePayments([makePeriod()], { at: inDays(9), credits: 120 });
  openApp("/dashboard", { subscription });
  const card = await openCard();
  within(card).getByText("Active");
  expect(factOf(card, "Plan")).toBe("Trader, $100 per month");
  const utc = formatUtc(subscription.ends_at);
  const local = formatDateTime(subscription.ends_at);
  expect(factOf(card, "Ends")).toBe(utc === `${local} UTC` ? utc : `${local} (${utc})`);
  const bar = within(card).getByRole("progressbar", { name: "Days left" });
  await waitFor(() => expect(bar.getAttribute("aria-valuetext")).toBe("10 days left of 30"));
  expect(bar.getAttribute("aria-valuenow")).toBe("10");
  await within(card).findByText(new RegExp(`^120 on ${formatDay(inDays(9))}`));
  const renew = within(card).getByRole("link", { name: "Renew subscription" });
  expect(renew.getAttribute("href")).toBe("/payment?plan=trader");
});

test("the grace period shows until when the access lasts", async () => {
  const grace = { status: "grace", ends_at: inDays(-1), grace_until: inDays(2) } as const;
  servePayments([makePeriod({ ends_at: grace.ends_at })]);
  openApp("/dashboard", { subscription: makeSubscription(grace) });
  const card = await openCard();
  within(card).getByText("Grace period");
  within(card).getByText(/You keep your access until/);
  within(card).getByText("2 days of access left");
  await within(card).findByText(/With your next renewal/);
});

test("payments are listed with their proofs, the newest first and the others on request", async () => {
  const proof = { sender_name: "Jane Miller", submitted_at: inDays(-20), url: "/a.png" };
  const old = (months: number) =>
    makePeriod({ months, started_at: inDays(-20 - months), price_usd: months * 100 });
  servePayments([
    makePeriod({ proof }),
    makePeriod({ ...old(2), revoked_at: inDays(-3) }),
    old(3),
    old(4),
  ]);
  const { user } = openApp("/dashboard", { subscription: makeSubscription() });
  const card = await openCard();
  const items = await within(card).findAllByRole("listitem");
  expect(items.map((item) => item.textContent)).toEqual([
    expect.stringMatching(/^Trader, 1 month\$100/),
    expect.stringMatching(/^Trader, 2 months\$200.*Ended early on .*No proof$/),
    expect.stringMatching(/^Trader, 3 months\$300/),
  ]);
  within(card).getByRole("button", { name: "Enlarge: Payment proof of Jane Miller" });
  await user.click(within(card).getByRole("button", { name: "Show all 4 payments" }));
  expect(within(card).getAllByRole("listitem")).toHaveLength(4);
});

test("payments that cannot be loaded are loaded again on request", async () => {
  api.fail("GET /me/subscription", { status: 422, detail: "Not now." });
  const { user } = openApp("/dashboard", { subscription: makeSubscription() });
  await screen.findByText("We couldn't load your payments.");
  servePayments([makePeriod()]);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText(/^Trader, 1 month/);
});

test("an approval without an end says so", async () => {
  openApp("/dashboard", {});
  const card = await openCard();
  within(card).getByText("No end date");
  within(card).getByText("No payments yet.");
});

test("an ended subscription says since when, above the way to renew it", async () => {
  const ended = { status: "ended", ends_at: inDays(-5) } as const;
  servePayments([makePeriod({ ends_at: ended.ends_at })]);
  openApp("/dashboard", { approved: false, subscription: makeSubscription(ended) });
  const card = await openCard();
  within(card).getByText("Ended", { selector: "header *" });
  const since = within(card).getByText("Ended", { selector: "dt" }).nextElementSibling;
  expect(since?.textContent).toContain(formatUtc(ended.ends_at));
  within(card).getByRole("link", { name: "Renew subscription" });
  await screen.findByText("Approval Pending");
  await screen.findByRole("button", { name: "Submit proof" });
});

test("the start and the renewal of a subscription show at once, with a message", async () => {
  const me = makeMe({ approved: false });
  openApp("/dashboard", me);
  await screen.findByText("Approval Pending");
  servePayments([makePeriod()], { at: inDays(9), credits: 120 });
  const subscription = makeSubscription();
  api.reply("GET /me", { ...me, approved: true, subscription, stream_positions: { user: 1 } });
  receive(accountEvent("subscription-started", true));
  await screen.findByText("Subscription started");
  await screen.findByText("10 days left");
  const renewed = makeSubscription({ ends_at: inDays(39.5) });
  const next = { months: 2, started_at: inDays(10), ends_at: renewed.ends_at };
  servePayments([makePeriod(next), makePeriod()]);
  api.reply("GET /me", { ...me, approved: true, subscription: renewed });
  receive({ ...accountEvent("subscription-renewed", true), seq: 2 });
  await screen.findByText("40 days left");
  await screen.findByText(/^Trader, 2 months/);
});

test("a reminder is shown with the way to renew", async () => {
  const { user, address } = openApp("/user-panel", { subscription: makeSubscription() });
  await screen.findByRole("heading", { level: 1, name: "User Panel" });
  const data = { plan: "trader", ends_at: inDays(3), days_left: 3 } as const;
  receive({ ...place, name: "subscription:expiring", data });
  await screen.findByText("Subscription ends in 3 days");
  await user.click(await screen.findByRole("button", { name: "View" }));
  await waitFor(() => expect(address()).toBe("/payment?plan=trader"));
});

const ended = makeSubscription({ status: "ended", ends_at: "2026-11-20T12:00:00.000Z" });

test("when the access ends, the open page says why, and opens again after the renewal", async () => {
  api.reply("GET /signal-history", { signals: [], next_cursor: null });
  const me = makeMe({
    subscription: makeSubscription({ status: "grace", grace_until: inDays(0) }),
  });
  const { address } = openApp("/signal-history", me);
  await screen.findByText("No signals generated yet.");
  servePayments([makePeriod({ ends_at: ended.ends_at })]);
  api.reply("GET /me", { ...me, approved: false, subscription: ended });
  receive(accountEvent("subscription-ended", false));
  await screen.findByRole("heading", { level: 1, name: "Subscription ended" });
  const reason = await screen.findByText(/^Your Trader subscription ended on/);
  expect(reason.textContent).toContain(formatDateTime(ended.ends_at));
  const renew = screen.getByRole("link", { name: "Renew subscription" });
  expect(renew.getAttribute("href")).toBe("/payment?plan=trader");
  expect(address()).toBe("/signal-history");
  api.reply("GET /me", { ...me, subscription: makeSubscription() });
  receive({ ...accountEvent("subscription-renewed", true), seq: 2 });
  await screen.findByText("No signals generated yet.");
});

test("after a reload, the page still says that an administrator ended the subscription", async () => {
  servePayments([makePeriod({ revoked_at: "2026-11-20T12:00:00.000Z" })]);
  const payment_proof = {
    id: "0123456789abcdef01234567",
    sender_name: "Ann",
    filename: "a.png",
    url: "/a.png",
    submitted_at: inDays(0),
  };
  openApp("/bot", { approved: false, subscription: ended, payment_proof });
  await screen.findByText(/^An administrator ended your Trader subscription on/);
  screen.getByText("Proof under review");
});

test("a request that is refused before the event arrives leads to the same page", async () => {
  const me = makeMe({ subscription: makeSubscription() });
  servePayments([makePeriod()]);
  api.fail("GET /signal-history", { status: 403, code: "not-approved", detail: "No access." });
  const answer = api.hold("GET /signal-history");
  openApp("/signal-history", me);
  await screen.findByRole("heading", { level: 1, name: "Signal history" });
  await waitFor(() =>
    expect(api.requests.map(({ route }) => route)).toContain("GET /signal-history"),
  );
  api.reply("GET /me", { ...me, approved: false, subscription: ended });
  answer();
  await screen.findByText(/^Your Trader subscription ended on/);
});
