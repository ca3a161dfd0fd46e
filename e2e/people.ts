import { randomUUID } from "node:crypto";
import { type Browser, expect, type Locator, type Page } from "playwright/test";
import sharp from "sharp";
import { logIn } from "./signed-in.ts";

/** Registers a trader through the form of `page`, who is signed in there afterwards. */
export async function registerTrader(page: Page): Promise<string> {
  const username = `trader-${randomUUID().slice(0, 8)}`;
  await page.goto("/register");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Email").fill(`${username}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill("secret-123");
  await page.getByRole("button", { name: "Register" }).click();
  await expect(page.getByText("Registration successful!")).toBeVisible();
  await page.goto("/dashboard");
  await expect(page.getByText("Approval Pending")).toBeVisible();
  return username;
}

/** A page of somebody else's, with storage of its own. */
export async function openElsewhere(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  await context.route(
    (url) => url.hostname !== "localhost",
    (route) => route.abort(),
  );
  return context.newPage();
}

/** Signs the administrator in and opens the admin panel. */
export async function openAdmin(page: Page): Promise<void> {
  await page.goto("/admin");
  await logIn(page);
  await expect(page.getByRole("heading", { level: 1, name: "Admin" })).toBeVisible();
}

/** The card of one user in the admin panel. */
export const cardOf = (page: Page, username: string): Locator =>
  page.getByRole("article", { name: username, exact: true });

/** Presses an action that asks first, and confirms. */
export async function confirmAction(page: Page, button: Locator): Promise<void> {
  const name = (await button.textContent()) ?? "";
  await button.click();
  await page.getByRole("alertdialog").getByRole("button", { name, exact: true }).click();
}

/** A picture as a file input takes it. */
export async function makePicture(name = "picture.png") {
  const size = { width: 320, height: 240 };
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const buffer = await sharp({ create: { ...size, channels: 3, background: "#888", noise } })
    .png()
    .toBuffer();
  return { name, mimeType: "image/png", buffer };
}

/** Sends a payment proof from the dashboard that `page` shows. */
export async function sendProof(page: Page, senderName: string): Promise<void> {
  await page.getByLabel("Sender name").fill(senderName);
  await page.getByLabel("Proof image").setInputFiles(await makePicture());
  await page.getByRole("button", { name: "Submit proof" }).click();
  await expect(
    page.getByText("Proof submitted successfully! Please wait for review."),
  ).toBeVisible();
}
