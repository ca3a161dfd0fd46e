import { expect } from "playwright/test";
import { test } from "../support/test.ts";
import {
  cardOf,
  confirmAction,
  makePicture,
  openAdmin,
  registerTrader,
  sendProof,
} from "../support/users.ts";

test("a proof needs a sender name and a picture", async ({ page }) => {
  await registerTrader(page);
  const submit = page.getByRole("button", { name: "Submit proof" });
  const refusal = page.getByText("Please provide both sender name and a file.");
  await submit.click();
  await expect(refusal).toBeVisible();
  await page.getByLabel("Sender name").fill("Jane Miller");
  await expect(refusal).toBeHidden();
  await submit.click();
  await expect(refusal).toBeVisible();
});

test("a file that is no picture, or too large, is refused in words before it is sent", async ({
  page,
}) => {
  await registerTrader(page);
  const input = page.getByLabel("Proof image");
  await input.setInputFiles({
    name: "a.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.from("%PDF"),
  });
  await expect(page.getByText("Choose a PNG, JPEG or WebP image.")).toBeVisible();
  const buffer = Buffer.alloc(5 * 1_024 * 1_024 + 1);
  await input.setInputFiles({ name: "b.png", mimeType: "image/png", buffer });
  await expect(page.getByText(/larger than 5 MB/)).toBeVisible();
  await input.setInputFiles({ name: "c.png", mimeType: "image/png", buffer: Buffer.from("no") });
  await expect(page.getByText(/cannot be read/)).toBeVisible();
});

test("a proof that was sent is shown, also after a reload, until it is deleted", async ({
  page,
  openElsewhere,
}) => {
  const username = await registerTrader(page);
  await sendProof(page, "Jane Miller");
  await expect(page.getByText("Proof under review")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Jane Miller")).toBeVisible();
  await page.getByRole("button", { name: /^Enlarge/ }).click();
  const picture = page.getByRole("dialog").getByRole("img");
  await expect(picture).toHaveJSProperty("naturalWidth", 320);
  await page.keyboard.press("Escape");

  const admin = await openElsewhere();
  await openAdmin(admin);
  const remove = cardOf(admin, username).getByRole("button", { name: "Delete proof" });
  await confirmAction(admin, remove);
  await expect(remove).toBeHidden();
  await expect(page.getByText("Your proof was removed")).toBeVisible();
  await expect(page.getByRole("button", { name: "Submit proof" })).toBeVisible();
});

test("approval changes the dashboard without a reload", async ({ page, openElsewhere }) => {
  const username = await registerTrader(page);
  await expect(page.getByRole("link", { name: /pricing/i }).first()).toBeVisible();
  const admin = await openElsewhere();
  await openAdmin(admin);
  await cardOf(admin, username).getByRole("button", { name: "Approve", exact: true }).click();
  await expect(page.getByText("Account Approved", { exact: true })).toBeVisible();
  await confirmAction(
    admin,
    cardOf(admin, username).getByRole("button", { name: "Revoke", exact: true }),
  );
  await expect(page.getByText("Approval Pending")).toBeVisible();
});

test.describe("when the upload fails", () => {
  test.use({ expectsFailures: true });

  test("the reason is shown and what was filled in is kept", async ({ page }) => {
    await registerTrader(page);
    await page.route(/submit-payment-proof/, (route) => route.abort());
    await page.getByLabel("Sender name").fill("Jane Miller");
    await page.getByLabel("Proof image").setInputFiles(await makePicture("receipt.png"));
    await page.getByRole("button", { name: "Submit proof" }).click();
    await expect(
      page.getByRole("alert").filter({ hasText: "Your proof was not sent" }),
    ).toBeVisible();
    await expect(page.getByLabel("Sender name")).toHaveValue("Jane Miller");
    await expect(page.getByText("receipt.png")).toBeVisible();
  });
});

test("the dashboard fits a small screen", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await registerTrader(page);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});

test("a proof that is sent in one tab shows in the other", async ({ page, context }) => {
  await registerTrader(page);
  const other = await context.newPage();
  await other.goto("/dashboard");
  await expect(other.getByRole("button", { name: "Submit proof" })).toBeVisible();
  await sendProof(page, "Ann Sender");
  await expect(other.getByText("Proof under review")).toBeVisible();
  await expect(other.getByText("Ann Sender")).toBeVisible();
});
