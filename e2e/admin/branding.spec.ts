import { expect } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { expectAccessible } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { openAsAdmin, openLive, signIn } from "../support/users.ts";

test("a contact that an administrator enters is offered in tabs that are open, until it is removed", async ({
  page,
  openElsewhere,
}) => {
  const reader = await openElsewhere();
  await signIn(reader, await makeTrader());
  await openLive(reader, "/contact");
  await expect(reader.getByRole("link", { name: /^Email/ })).toBeVisible();
  const link = reader.getByRole("link", { name: /^Telegram/ });
  await openAsAdmin(page, "/admin/branding");
  const field = page.getByLabel("Telegram");
  const save = page.getByRole("button", { name: "Save branding" });
  await field.fill("@northwind_help");
  await save.click();
  await expect(link).toHaveAttribute("href", "https://t.me/northwind_help");
  await field.fill("");
  await save.click();
  await expect(link).toHaveCount(0);
});

test("the operator's name, accent and notice are on every page, and can be read", async ({
  page,
}) => {
  // Of this page alone: other tests look at the product's own.
  const branding = {
    product_name: "Northwind Signals",
    logo: "",
    style:
      ':root{--color-accent:#ffee00;--color-accent-strong:#fff133;--color-on-accent:#06121f}[data-theme="light"]{--color-accent:#6b6400;--color-accent-strong:#565000;--color-on-accent:#ffffff}',
    demo_notice: "This is a demonstration.",
    contact_email: "help@northwind.example",
    contact_whatsapp: "",
    contact_telegram: "",
  };
  const headers = { "Access-Control-Allow-Origin": "*" };
  await page.route(`${apiUrl}/branding`, (route) => route.fulfill({ json: branding, headers }));
  await page.goto("/pricing");
  const home = page.getByRole("banner").getByRole("link", { name: "Northwind Signals" });
  await expect(home).toBeVisible();
  await expect(page.getByText("This is a demonstration.")).toBeVisible();
  await expect(page).toHaveTitle("Pricing · Northwind Signals");
  await expect(page.getByText(/Northwind Signals\. All Rights Reserved\./)).toBeVisible();
  await expectAccessible(page, "pricing with an accent of the operator", { part: "html" });
  await page.reload();
  // Before the branding has been read again.
  const accent = await page.evaluate(() => document.getElementById("brand")?.textContent);
  expect(accent).toContain("#ffee00");
});
