import { expect, type Page } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import {
  confirmAction,
  imageBytes,
  makeImage,
  openAdmin,
  openAsAdmin,
  openLive,
  openMenuOf,
  signIn,
} from "../support/users.ts";

const IMAGE = "Chart image (optional)";

/** Opens the bot as a new approved trader. */
async function openBot(page: Page, traits: { imageCredits?: number } = {}): Promise<string> {
  const trader = await makeTrader({ approved: true, ...traits });
  await signIn(page, trader);
  await page.goto("/bot");
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
  return trader.username;
}

/** The product of these tests has no AI model: the rules do not read images. */
const RETURNED = "The chart image was not read. Its credit was returned.";

test("an image costs a credit, which is asked for first, and returned where no model reads it", async ({
  page,
  openElsewhere,
}) => {
  const username = await openBot(page);
  const admin = await openElsewhere();
  await openAsAdmin(admin, `/admin/users?search=${username}`);
  const menu = await openMenuOf(admin, username);
  const input = page.getByLabel(IMAGE);
  await expect(input).toHaveCount(0);
  await menu.getByRole("button", { name: "Allow image upload" }).click();
  await expect(menu.getByRole("button", { name: "Block image upload" })).toBeVisible();
  await input.setInputFiles(await makeImage());
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(
    page.getByText(
      "You don't have any image analysis credits. Please recharge your account to continue.",
    ),
  ).toBeVisible();
  await expect(page.locator("[data-signal]")).toHaveCount(0);

  await menu.getByRole("button", { name: "Grant credits" }).click();
  await admin.getByLabel("Number of credits").fill("2");
  await admin.getByRole("button", { name: "Grant", exact: true }).click();
  await expect(page.getByText(/^2 image credits left/)).toBeVisible();
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]").first()).toBeVisible();
  await expect(page.getByText(RETURNED).first()).toBeVisible();
  await expect(page.getByText(/^2 image credits left/)).toBeVisible();
  await expect(page.getByText("image.png")).toBeHidden();

  await openMenuOf(admin, username);
  await menu.getByRole("button", { name: "Block image upload" }).click();
  await expect(input).toHaveCount(0);
  await openAdmin(admin);
  const image = admin.getByRole("button", { name: `Enlarge: Chart image of ${username}` });
  await expect(image).toBeVisible();
  const item = admin.getByRole("listitem").filter({ has: image });
  await confirmAction(admin, item.getByRole("button", { name: "Delete image" }));
  await expect(image).toHaveCount(0);
});

test("approval with a plan allows image upload with its credits, live, and an administrator can block it", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader();
  await signIn(page, trader);
  await openLive(page, "/dashboard");
  const admin = await openElsewhere();
  await openAsAdmin(admin, `/admin/users?search=${trader.username}`);
  const menu = await openMenuOf(admin, trader.username);
  await expect(menu.getByRole("button", { name: "Allow image upload" })).toBeVisible();
  await menu.getByLabel("Plan").selectOption("Starter");
  await menu.getByRole("button", { name: "Approve" }).click();
  await expect(menu.getByRole("button", { name: "Block image upload" })).toBeVisible();
  await page.getByRole("link", { name: "BOT", exact: true }).first().click();
  await expect(page.getByLabel(IMAGE)).toBeAttached();
  await expect(page.getByText(/^50 image credits left/)).toBeVisible();
  // The product of these tests has no AI model.
  await expect(page.getByText(/Images are not read here/)).toBeVisible();
  await menu.getByRole("button", { name: "Block image upload" }).click();
  await expect(page.getByLabel(IMAGE)).toHaveCount(0);
});

test("an image can be dropped, removed, pasted instead, and is sent", async ({ page }) => {
  await openBot(page, { imageCredits: 1 });
  await expect(page.getByLabel(IMAGE)).toBeAttached();
  const bytes = (await imageBytes()).toString("base64");
  const transfer = await page.evaluateHandle((base64) => {
    const content = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([content], "carried.png", { type: "image/png" }));
    return data;
  }, bytes);
  const zone = page.getByText("drop it here or paste it");
  await zone.dispatchEvent("dragover", { dataTransfer: transfer });
  await zone.dispatchEvent("drop", { dataTransfer: transfer });
  await expect(page.getByText("carried.png")).toBeVisible();
  await page.getByRole("button", { name: "Remove image" }).click();
  await expect(page.getByText("carried.png")).toHaveCount(0);
  await page.evaluate((clipboardData) => {
    document.body.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }, transfer);
  await expect(page.getByText("carried.png")).toBeVisible();
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]").first()).toBeVisible();
  await expect(page.getByText(RETURNED).first()).toBeVisible();
  await expect(page.getByText(/^1 image credit left/)).toBeVisible();
});
