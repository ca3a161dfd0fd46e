import { type Browser, expect, type Page } from "playwright/test";
import {
  cardOf,
  confirmAction,
  makePicture,
  openAdmin,
  openElsewhere,
  registerTrader,
} from "./people.ts";
import { logIn, test } from "./signed-in.ts";

/** An approved trader on the bot page, and the administrator with his card in view. */
async function setUp(page: Page, browser: Browser) {
  const username = await registerTrader(page);
  const admin = await openElsewhere(browser);
  await openAdmin(admin);
  const card = cardOf(admin, username);
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(page.getByText("Account Approved")).toBeVisible();
  await page.goto("/bot");
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
  const grant = async (credits: string) => {
    await card.getByRole("button", { name: "Grant credits" }).click();
    await admin.getByLabel("Number of credits").fill(credits);
    await admin.getByRole("button", { name: "Grant", exact: true }).click();
  };
  return { username, admin, card, grant };
}

test("an image costs a credit, which is asked for before anything is sent", async ({
  page,
  browser,
}) => {
  const { username, admin, card, grant } = await setUp(page, browser);
  const input = page.getByLabel("Chart image (optional)");
  await expect(input).toHaveCount(0);
  await card.getByRole("button", { name: "Allow image upload" }).click();
  await input.setInputFiles(await makePicture());
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(
    page.getByText(
      "You don't have any image analysis credits. Please recharge your account to continue.",
    ),
  ).toBeVisible();
  await expect(page.locator("[data-signal]")).toHaveCount(0);

  await grant("2");
  await expect(page.getByText(/^2 image credits left/)).toBeVisible();
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]").first()).toBeVisible();
  await expect(page.getByText(/^1 image credit left/)).toBeVisible();
  await expect(page.getByText("picture.png")).toBeHidden();

  const picture = admin.getByRole("button", { name: `Enlarge: Chart image of ${username}` });
  await expect(picture).toBeVisible();
  const item = admin.getByRole("listitem").filter({ has: picture });
  await confirmAction(admin, item.getByRole("button", { name: "Delete image" }));
  await expect(picture).toHaveCount(0);
});

test("taking the permission away takes the input away", async ({ page, browser }) => {
  const { card } = await setUp(page, browser);
  await card.getByRole("button", { name: "Allow image upload" }).click();
  await expect(page.getByLabel("Chart image (optional)")).toBeAttached();
  await card.getByRole("button", { name: "Block image upload" }).click();
  await expect(page.getByLabel("Chart image (optional)")).toHaveCount(0);
});

test("administrators clean up images from the bot page, after a question", async ({ page }) => {
  await page.goto("/bot");
  await logIn(page);
  await expect(page.getByRole("heading", { name: "Admin Tools" })).toBeVisible();
  await confirmAction(page, page.getByRole("button", { name: "Cleanup Images" }));
  await expect(page.getByText(/^\d+ chart images? deleted\.$/)).toBeVisible();
});
