import { expect, type Page } from "playwright/test";
import { actAsAdmin, makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import {
  cardOf,
  confirmAction,
  makePicture,
  openAdmin,
  openAsAdmin,
  pictureBytes,
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

test("an image costs a credit, which is asked for before anything is sent", async ({
  page,
  openElsewhere,
}) => {
  const username = await openBot(page);
  const admin = await openElsewhere();
  await openAdmin(admin);
  const card = cardOf(admin, username);
  const input = page.getByLabel(IMAGE);
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

  await card.getByRole("button", { name: "Grant credits" }).click();
  await admin.getByLabel("Number of credits").fill("2");
  await admin.getByRole("button", { name: "Grant", exact: true }).click();
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

test("taking the permission away takes the input away", async ({ page }) => {
  const username = await openBot(page, { imageCredits: 1 });
  await expect(page.getByLabel(IMAGE)).toBeAttached();
  await actAsAdmin(`/admin/set-image-access/${username}`, { allow: "false" });
  await expect(page.getByLabel(IMAGE)).toHaveCount(0);
});

for (const way of ["drop", "paste"] as const) {
  test(`a picture can come by ${way} instead of the file dialog, and is sent`, async ({ page }) => {
    await openBot(page, { imageCredits: 1 });
    await expect(page.getByLabel(IMAGE)).toBeAttached();
    const bytes = (await pictureBytes()).toString("base64");
    const transfer = await page.evaluateHandle((base64) => {
      const content = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([content], "carried.png", { type: "image/png" }));
      return data;
    }, bytes);
    if (way === "drop") {
      const zone = page.getByText("drop it here or paste it");
      await zone.dispatchEvent("dragover", { dataTransfer: transfer });
      await zone.dispatchEvent("drop", { dataTransfer: transfer });
    } else {
      await page.evaluate((clipboardData) => {
        document.body.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
        );
      }, transfer);
    }
    await expect(page.getByText("carried.png")).toBeVisible();
    await page.getByRole("button", { name: "Get Signal" }).click();
    await expect(page.locator("[data-signal]").first()).toBeVisible();
    await expect(page.getByText(/^0 image credits left/)).toBeVisible();
  });
}

test("a picture that was chosen can be taken away again", async ({ page }) => {
  await openBot(page, { imageCredits: 1 });
  await page.getByLabel(IMAGE).setInputFiles(await makePicture());
  await page.getByRole("button", { name: "Remove image" }).click();
  await expect(page.getByText("picture.png")).toHaveCount(0);
});

test("administrators clean up images from the bot page, after a question", async ({ page }) => {
  await openAsAdmin(page, "/bot");
  await expect(page.getByRole("heading", { name: "Admin Tools" })).toBeVisible();
  await confirmAction(page, page.getByRole("button", { name: "Cleanup Images" }));
  await expect(page.getByText(/^\d+ chart images? deleted\.$/)).toBeVisible();
});

test("who is no administrator has no admin tools on the bot page", async ({ page }) => {
  await openBot(page);
  await expect(page.getByText("Admin Tools")).toHaveCount(0);
});
