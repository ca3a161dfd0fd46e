import { expect } from "playwright/test";
import { actAsAdmin, makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { imageBytes, openLive, signIn } from "../support/users.ts";

const IMAGE = "Chart image (optional)";

/** The product of these tests has no AI model: the rules do not read images. */
const RETURNED = "The chart image was not read. Its credit was returned.";

test("an image can be dropped, removed and pasted instead while it is allowed; it costs a credit, which is asked for first, and returned where no model reads it", async ({
  page,
}) => {
  const trader = await makeTrader({ approved: true });
  const { username } = trader;
  await signIn(page, trader);
  await openLive(page, "/bot");
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
  const input = page.getByLabel(IMAGE);
  await expect(input).toHaveCount(0);
  await actAsAdmin(`/admin/set-image-access/${username}`, { allow: "true" });
  await expect(input).toBeAttached();
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
  await expect(
    page.getByText(
      "You don't have any image analysis credits. Please recharge your account to continue.",
    ),
  ).toBeVisible();
  await expect(page.locator("[data-signal]")).toHaveCount(0);

  await actAsAdmin(`/admin/grant-image-credits/${username}`, { credits: "2" });
  await expect(page.getByText(/^2 image credits left/)).toBeVisible();
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]").first()).toBeVisible();
  await expect(page.getByText(RETURNED).first()).toBeVisible();
  await expect(page.getByText(/^2 image credits left/)).toBeVisible();
  await expect(page.getByText("carried.png")).toBeHidden();
  await actAsAdmin(`/admin/set-image-access/${username}`, { allow: "false" });
  await expect(input).toHaveCount(0);
});
