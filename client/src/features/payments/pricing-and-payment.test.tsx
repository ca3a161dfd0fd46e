import type { Me } from "@shared/contract/account.ts";
import type { OfferedPayments } from "@shared/contract/payment.ts";
import { PLANS } from "@shared/contract/plans.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { makeSubscription, NO_PAYMENT_DETAILS } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { PaymentPage } from "./payment-page.tsx";
import { PricingPage } from "./pricing-page.tsx";

function saveDetails(details: Partial<OfferedPayments>): void {
  api.reply("GET /payment-details", { ...NO_PAYMENT_DETAILS, ...details });
}

const openPayment = (path = "/payment", account?: Partial<Me>) =>
  openPart(<PaymentPage />, account, path);

const methods = () => screen.getAllByRole("heading", { level: 3 }).map((one) => one.textContent);

const plans = [
  { id: "starter", name: "Starter", fee: "$50", credits: "50 image credits" },
  { id: "trader", name: "Trader", fee: "$100", credits: "120 image credits" },
  { id: "pro", name: "Pro", fee: "$150", credits: "200 image credits" },
  { id: "institutional", name: "Institutional", fee: "$200", credits: "500 image credits" },
];

test("every plan has its fee and leads to its payment, and one is recommended", async () => {
  expect(plans.map(({ id }) => id)).toEqual(PLANS.map(({ id }) => id));
  saveDetails({});
  const { user, address, goTo } = openApp("/pricing");
  expect(await screen.findAllByText("Recommended")).toHaveLength(1);
  for (const { id, name, fee, credits } of plans) {
    await goTo("/pricing");
    const heading = await screen.findByRole("heading", { name });
    const card = heading.closest("li") ?? document.body;
    for (const text of [fee, credits, "Real-time signals", "All markets", "Full history"]) {
      expect(card.textContent).toContain(text);
    }
    await user.click(within(card).getByRole("link"));
    await waitFor(() => expect(address()).toBe(`/payment?plan=${id}`));
    await screen.findByText(fee);
  }
});

test.each(["/payment", "/payment?plan=gold"])("%s shows the fee of the Pro plan", async (path) => {
  saveDetails({});
  openPayment(path);
  await screen.findByRole("heading", { name: "Pro plan" });
  screen.getByText("$150");
});

test("a configured method is shown as plain text and copied; a blank one is not shown", async () => {
  const text = "Bank: <b>Example</b>\nIBAN: 123";
  saveDetails({ bank_details_3: text, wise_details: "  \n " });
  const { user } = openPayment();
  const shown = await screen.findByText(/Bank: <b>Example<\/b>/);
  expect(shown.closest("p")?.textContent).toBe(text);
  expect(methods()).toEqual(["Bank Transfer"]);
  await user.click(screen.getByRole("button", { name: /^Copy\s*Bank Transfer$/ }));
  await screen.findByText("Copied");
  expect(await navigator.clipboard.readText()).toBe(text);
});

test("each line is copied on its own, and addresses are links", async () => {
  const text = "Pay to: pay@example.com\nOr https://pay.example.com/me";
  saveDetails({ paypal_details: text });
  const { user } = openPayment();
  await user.click(await screen.findByRole("button", { name: "Copy PayPal, line 2" }));
  await screen.findByRole("button", { name: "Copied PayPal, line 2" });
  expect(await navigator.clipboard.readText()).toBe("Or https://pay.example.com/me");
  const hrefOf = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
  expect(hrefOf("pay@example.com")).toBe("mailto:pay@example.com");
  expect(hrefOf("https://pay.example.com/me")).toBe("https://pay.example.com/me");
});

test("the addresses for USDT are shown with their network and copied", async () => {
  saveDetails({ usdt: [{ network: "Tron", address: "TR7NHq" }] });
  openPayment();
  await screen.findByText("TR7NHq");
  expect(methods()).toEqual(["USDT on Tron"]);
  screen.getByText(/Send only USDT, and only on Tron/);
  screen.getByRole("button", { name: /^Copy\s*USDT on Tron$/ });
});

test("all configured methods are listed in one order, with what to do after paying", async () => {
  saveDetails({
    wise_details: "e",
    skrill_details: "d",
    paypal_details: "c",
    bank_details_2: "b",
    bank_details_1: "a",
  });
  openPayment();
  await screen.findByRole("heading", { name: "EasyPesa" });
  expect(methods()).toEqual(["EasyPesa", "JazzCash", "PayPal", "Skrill", "Wise"]);
  screen.getByText("Important");
});

test("without a configured method, the page says so", async () => {
  saveDetails({});
  openPayment();
  await screen.findByText("No payment methods yet");
});

test("payment details that cannot be loaded are loaded again on request", async () => {
  api.drop("GET /payment-details");
  const { user } = openPayment();
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Failed to load payment details. Please contact support.");
  saveDetails({});
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});

const renewals = [
  {
    name: "of the same plan, from its end, on the day of its start",
    path: "/payment?plan=trader",
    subscription: { started_at: "2026-10-31T12:00:00.000Z", ends_at: "2026-11-30T12:00:00.000Z" },
    text: "Your Trader subscription runs until 30 Nov 2026. A proof that you send now renews it: one month of the Trader plan extends it to 31 Dec 2026.",
  },
  {
    name: "with another plan, which starts at the end",
    path: "/payment?plan=pro",
    subscription: { started_at: "2026-11-05T12:00:00.000Z", ends_at: "2026-12-05T12:00:00.000Z" },
    text: "A proof that you send now renews it: one month of the Pro plan extends it to 5 Jan 2027. The Pro plan starts on 5 Dec 2026.",
  },
  {
    name: "in the grace period, with the end of the access",
    path: "/payment?plan=trader",
    subscription: {
      status: "grace",
      started_at: "2026-09-23T12:00:00.000Z",
      ends_at: "2026-11-23T12:00:00.000Z",
      grace_until: "2026-11-26T12:00:00.000Z",
    },
    text: "Your Trader subscription ended on 23 Nov 2026; you keep your access until 26 Nov 2026. A proof that you send now renews it: one month of the Trader plan extends it to 23 Dec 2026.",
  },
] as const;

test.each(renewals)(
  "the payment page says what a proof renews: $name",
  async ({ path, subscription, text }) => {
    saveDetails({});
    openPayment(path, { subscription: makeSubscription(subscription) });
    const note = await screen.findByText(/A proof that you send now renews it/);
    expect(note.textContent).toContain(text);
  },
);

test("where no model reads images, pricing and payment say that credits are not in use", async () => {
  saveDetails({});
  openPart(<PricingPage />);
  await screen.findByText("Image credits are not in use: fixed rules make the signals", {
    exact: false,
  });
  expect(screen.getAllByText(/image credits \(not in use\)$/)).toHaveLength(PLANS.length);
  openPayment("/payment?plan=pro");
  await screen.findByText("200 image credits (not in use) · Priority support");
});

test("where a model reads images, a plan offers them", async () => {
  openPart(<PricingPage />);
  api.reply("GET /status", { market_data: "live", analyst: "openai", version: "1.0.0" });
  await screen.findByText("Each chart image analysis uses one image credit.", { exact: false });
  await screen.findByText("120 image credits");
  expect(screen.queryByText(/not in use/)).toBeNull();
});
