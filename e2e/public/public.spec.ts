import { expect } from "playwright/test";
import { savePaymentDetails } from "../support/api.ts";
import { test } from "../support/test.ts";

const plans = [
  { id: "starter", name: "Starter", fee: "$50", credits: "50 image credits" },
  { id: "trader", name: "Trader", fee: "$100", credits: "120 image credits" },
  { id: "pro", name: "Pro", fee: "$150", credits: "200 image credits" },
  { id: "institutional", name: "Institutional", fee: "$200", credits: "500 image credits" },
];

test("each plan shows what it costs and gives, and leads to the payment of its fee", async ({
  page,
}) => {
  for (const { id, name, fee, credits } of plans) {
    await page.goto("/pricing");
    const plan = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name, exact: true }) });
    await expect(plan).toContainText(fee);
    await expect(plan).toContainText(credits);
    for (const feature of ["Real-time signals", "All markets", "Full history"]) {
      await expect(plan).toContainText(feature);
    }
    await plan.getByRole("link").click();
    await expect(page).toHaveURL(new RegExp(`/payment\\?plan=${id}$`));
    await expect(page.getByText(fee, { exact: true })).toBeVisible();
  }
});

test("the fee is Pro's where no plan is chosen, or one that does not exist", async ({ page }) => {
  for (const path of ["/payment", "/payment?plan=gold"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Pro plan" })).toBeVisible();
    await expect(page.getByText("$150", { exact: true })).toBeVisible();
  }
});

test("a configured method is shown as plain text and copied; a blank one is not shown", async ({
  page,
  context,
}) => {
  const text = `Bank: <b>Example</b>\nIBAN: ${Date.now()}`;
  await savePaymentDetails({ bank_details_3: text, wise_details: "  \n " });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/payment");
  await expect(page.getByRole("heading", { level: 3 })).toHaveText(["Bank Transfer"]);
  const shown = page.getByText("Bank: <b>Example</b>");
  expect(await shown.textContent()).toBe(text);
  await expect(shown).toHaveCSS("white-space", "pre-line");
  await page.getByRole("button", { name: "Copy Bank Transfer" }).click();
  await expect(page.getByText("Copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);

  await savePaymentDetails({
    bank_details_1: "a",
    bank_details_2: "b",
    paypal_details: "c",
    skrill_details: "d",
    wise_details: "e",
  });
  await page.reload();
  const labels = ["EasyPesa", "JazzCash", "PayPal", "Skrill", "Wise"];
  await expect(page.getByRole("heading", { level: 3 })).toHaveText(labels);
  await expect(page.getByText("Important", { exact: true })).toBeVisible();

  await savePaymentDetails({});
  await page.reload();
  await expect(page.getByText("No payment methods yet")).toBeVisible();
});

test("visitors find contact, privacy and terms", async ({ page }) => {
  await page.goto("/");
  const year = new Date().getFullYear();
  await expect(page.getByText(`© ${year} AI Trading Bot. All Rights Reserved.`)).toBeVisible();
  await page.getByRole("link", { name: "Privacy Policy" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Privacy Policy" })).toBeVisible();
  await page.getByRole("link", { name: "Terms of Service" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Terms of Service" })).toBeVisible();
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Contact" })
    .click();
  const mail = page.getByRole("main").getByRole("link", { name: /Email/ });
  await expect(mail).toHaveAttribute("href", "mailto:support@example.com");
  await expect(page.getByRole("link", { name: /WhatsApp|Telegram/ })).toHaveCount(0);
});

const screens = [
  ["/pricing", "Pricing · AI Trading Bot"],
  ["/payment", "Payment · AI Trading Bot"],
  ["/performance", "Performance · AI Trading Bot"],
  ["/contact", "Contact · AI Trading Bot"],
  ["/privacy", "Privacy Policy · AI Trading Bot"],
  ["/terms", "Terms of Service · AI Trading Bot"],
  ["/forgot-password", "Forgot password · AI Trading Bot"],
  ["/", "AI Trading Bot"],
] as const;

test("every screen has a title and a description of its own, and fits a phone", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const descriptions = new Set<string | null>();
  for (const [path, title] of screens) {
    await page.goto(path);
    await expect(page).toHaveTitle(title);
    descriptions.add(await page.locator('meta[name="description"]').getAttribute("content"));
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  }
  expect(descriptions.size).toBe(screens.length);
});

test.describe("payment details that cannot be read", () => {
  test.use({ expectsFailures: true });

  test("are said to be so, and read again on request", async ({ page }) => {
    await page.route(/\/payment-details$/, (route) => route.abort());
    await page.goto("/payment");
    const failed = "Failed to load payment details. Please contact support.";
    await expect(page.getByRole("alert")).toContainText(failed);
    await page.unroute(/\/payment-details$/);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("alert")).toBeHidden();
  });
});
