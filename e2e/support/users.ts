import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Session } from "@shared/contract/account.ts";
import { expect, type Locator, type Page } from "playwright/test";
import sharp from "sharp";
import { ADMIN, adminSession, makeTrader } from "./api.ts";
import { product } from "./config.ts";

export async function logIn(page: Page, user: { username: string; password: string } = ADMIN) {
  await page.getByLabel("Username").fill(user.username);
  await page.getByLabel("Password", { exact: true }).fill(user.password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
}

/** Leaves this session in the storage of `page`, as a login would, from its next screen on. */
export async function signIn(page: Page, { token, approved, role }: Session): Promise<void> {
  const stored = { token, isApproved: String(approved), isAdmin: String(role === "admin") };
  const script = await page.addInitScript((items) => {
    for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value);
  }, stored);
  // Once only: a screen that is opened after a logout must find the storage empty.
  page.once("domcontentloaded", () => {
    // A page that has been closed meanwhile opens no further screen.
    script.dispose().catch(() => undefined);
  });
}

/** Signs `page` in as a new trader who waits for approval, and opens the dashboard. */
export async function registerTrader(page: Page): Promise<string> {
  const session = await makeTrader();
  await signIn(page, session);
  await page.goto("/dashboard");
  await expect(page.getByText("Approval Pending")).toBeVisible();
  return session.username;
}

export async function openLive(page: Page, path: string): Promise<void> {
  const connected = page
    .waitForEvent("websocket", (socket) => socket.url().includes("/socket.io/"))
    .then((socket) =>
      // Socket.IO's "40": the server has accepted the session.
      socket.waitForEvent("framereceived", ({ payload }) => String(payload).startsWith("40")),
    );
  await page.goto(path);
  await connected;
}

export async function openAsAdmin(page: Page, path: string): Promise<void> {
  await signIn(page, await adminSession());
  // Events from before the connection are not announced.
  await openLive(page, path);
}

export async function openAdmin(page: Page): Promise<void> {
  await openAsAdmin(page, "/admin");
  await expect(page.getByRole("heading", { level: 1, name: "Admin" })).toBeVisible();
}

/** Stores traders who wait for approval, in no time and without events: older than those of other tests. */
export async function storeTraders(prefix: string, count: number): Promise<void> {
  // Only one test needs them: each process of the tests would spend a second on loading them.
  const { openDatabase } = await import("@shared/database/database.ts");
  const { createUsers } = await import("@shared/testing/factories.ts");
  const database = await openDatabase({
    uri: await readFile(join(product.dataDir, "mongo-address"), "utf8"),
  });
  const createdAt = new Date(0);
  await createUsers(database, count, (index) => ({
    username: `${prefix}-${String(index).padStart(3, "0")}`,
    createdAt,
    sessions: [],
  }));
  await database.close();
}

/** The rows of the users that the administrator sees. */
export const userRows = (page: Page): Locator =>
  page.getByRole("grid", { name: "Users" }).locator("tbody").getByRole("row");

export const cardOf = (page: Page, username: string): Locator =>
  page.getByRole("row", { name: username, exact: true });

/** Opens the overflow menu of a user's row. */
export async function openMenuOf(page: Page, username: string): Promise<Locator> {
  await cardOf(page, username)
    .getByRole("button", { name: /^More actions/ })
    .click();
  return page.getByRole("dialog", { name: `Actions for ${username}` });
}

export async function confirmAction(page: Page, button: Locator): Promise<void> {
  const name = (await button.textContent()) ?? "";
  await button.click();
  await page.getByRole("alertdialog").getByRole("button", { name, exact: true }).click();
}

/** Noise, so that no two images are alike. */
export function imageBytes(): Promise<Buffer> {
  const size = { width: 320, height: 240 };
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return sharp({ create: { ...size, channels: 3, background: "#888", noise } })
    .png()
    .toBuffer();
}

export async function makeImage(name = "image.png") {
  return { name, mimeType: "image/png", buffer: await imageBytes() };
}

export async function sendProof(page: Page, senderName: string): Promise<void> {
  await page.getByLabel("Sender name").fill(senderName);
  await page.getByLabel("Proof image").setInputFiles(await makeImage());
  await page.getByRole("button", { name: "Submit proof" }).click();
  await expect(
    page.getByText("Proof submitted successfully! Please wait for review."),
  ).toBeVisible();
}

/** Where the product of these tests writes its mails. */
const OUTBOX = `${product.dataDir}/outbox`;

/** A mail's text as it was written: soft line breaks joined, quoted characters restored. */
const decoded = (mail: string): string =>
  mail
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );

/** The text of all mails to this address, oldest first. */
export async function mailsTo(address: string): Promise<string[]> {
  // Others are still being written.
  const names = (await readdir(OUTBOX)).filter((name) => name.endsWith(".eml"));
  const mails = await Promise.all(names.sort().map((name) => readFile(join(OUTBOX, name), "utf8")));
  return mails.filter((mail) => mail.includes(`To: ${address}`)).map(decoded);
}

async function linksTo(address: string, path: string): Promise<string[]> {
  const link = new RegExp(`${path}\\?token=[\\w-]+`);
  return (await mailsTo(address)).flatMap((mail) => mail.match(link)?.[0] ?? []);
}

/** Waits for the `count`th mail to `address` with a link to `path`; gives the link, from its path on. */
export async function mailedLink(
  address: string,
  { path, count = 1 }: { path: string; count?: number },
): Promise<string> {
  const links = async () => (await linksTo(address, path)).length;
  await expect.poll(links).toBeGreaterThanOrEqual(count);
  return (await linksTo(address, path))[count - 1] ?? "";
}
