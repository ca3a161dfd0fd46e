import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Session, sessionSchema } from "@shared/contract/account.ts";
import { SYMBOL_SUGGESTIONS } from "@shared/contract/instruments.ts";
import { type SignalResponse, signalResponseSchema } from "@shared/contract/signal.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { MongoClient } from "mongodb";
import { expect, type Page, test } from "playwright/test";
import sharp from "sharp";
import { z } from "zod";
import { projectRoot } from "../lib/prepare-project.mjs";
import { product } from "../playwright.config.ts";

const FOLDER = join(projectRoot, "docs", "images");
const { api, admin, dataDir } = product;
const sessions: Session[] = [];

/** The product gets traders with payment proofs. The administrator has the signals of the demo record. */
test.beforeAll(async () => {
  await expect(async () => {
    await expectAnswer(z.unknown(), `${api}/readyz`);
  }).toPass();
  await mkdir(FOLDER, { recursive: true });
  sessions.push(await expectAnswer(sessionSchema, `${api}/login`, { body: admin }));
  for (const trader of TRADERS) sessions.push(await registerTrader(trader));
  await untilRecordIsMade();
});

test("home", async ({ page }) => {
  // The page reads the record once, which may not be published yet.
  await expect(async () => {
    await page.goto("/");
    await page.getByText(/^Win rate of the demo record/).waitFor({ timeout: 10_000 });
  }).toPass();
  await page.locator('[data-state="failed"]').first().waitFor();
  await saveScreenshot(page, "home");
});

test("bot", async ({ page }) => {
  const { symbol, timeframe } = await findTrade();
  await openAs(page, sessions[1], "/bot");
  await page.getByRole("combobox", { name: "Symbol" }).fill(symbol);
  await page.keyboard.press("Tab");
  await page.getByRole("radio", { name: timeframe }).check({ force: true });
  await page.getByRole("button", { name: "Get Signal" }).click();
  await page.locator("[data-signal]").filter({ hasText: symbol }).waitFor();
  await page.locator("canvas").first().waitFor();
  await saveScreenshot(page, "bot");
});

test("history", async ({ page }) => {
  await openAs(page, sessions[0], "/signal-history");
  await page.locator("[data-signal]").first().waitFor();
  await saveScreenshot(page, "history");
});

test("admin", async ({ page }) => {
  await openAs(page, sessions[0], "/admin");
  await page.getByRole("row", { name: /li\.wei/ }).waitFor();
  await saveScreenshot(page, "admin");
});

/** A market whose signal is a trade at present; there may be none. */
async function findTrade(): Promise<SignalResponse> {
  const token = sessions[1]?.token ?? "";
  const signals: SignalResponse[] = [];
  for (const symbol of SYMBOL_SUGGESTIONS) {
    const body = { symbol, timeframe: "4h" };
    signals.push(await expectAnswer(signalResponseSchema, `${api}/get-signal`, { token, body }));
    if (signals.at(-1)?.analysis?.final_signal !== "WAIT") break;
  }
  return signalResponseSchema.parse(signals.at(-1));
}

async function openAs(page: Page, session: Session | undefined, path: string): Promise<void> {
  const { token = "", approved = false, role } = session ?? {};
  const stored = { token, isApproved: String(approved), isAdmin: String(role === "admin") };
  await page.addInitScript((items) => {
    for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value);
  }, stored);
  await page.goto(path);
}

/** A small palette is enough for a screen. */
async function saveScreenshot(page: Page, name: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  const png = await page.screenshot({ animations: "disabled" });
  const small = await sharp(png).png({ palette: true, colours: 256, effort: 10 }).toBuffer();
  await writeFile(join(FOLDER, `${name}.png`), small);
}

const TRADERS = [
  { username: "maria.keller", sender: "Maria Keller", amount: "$150.00", approved: true },
  { username: "j_okafor", sender: "James Okafor", amount: "$100.00", approved: true },
  { username: "li.wei", sender: "Li Wei", amount: "$150.00", approved: false },
  { username: "sofia-rossi", sender: "Sofia Rossi", amount: "$50.00", approved: false },
];
async function registerTrader(trader: (typeof TRADERS)[number]): Promise<Session> {
  const { username, sender, amount, approved } = trader;
  const body = { username, email: `${username}@example.com`, password: "demo-password" };
  const session = await expectAnswer(sessionSchema, `${api}/register`, { body });
  const proof = { sender_name: sender, proof_image: await receipt(sender, amount) };
  await expectAnswer(z.unknown(), `${api}/submit-payment-proof`, {
    token: session.token,
    body: multipartForm(proof),
  });
  if (approved) {
    const request = { token: sessions[0]?.token ?? "", body: multipartForm({ credits: "200" }) };
    await expectAnswer(z.unknown(), `${api}/admin/approve/${username}`, request);
    await expectAnswer(z.unknown(), `${api}/admin/grant-image-credits/${username}`, request);
  }
  return { ...session, approved };
}

/** The worker makes it at its first start, which takes minutes. */
async function untilRecordIsMade(): Promise<void> {
  const uri = await readFile(join(projectRoot, dataDir, "mongo-address"), "utf8");
  const client = await MongoClient.connect(uri);
  const isMade = () =>
    client
      .db()
      .collection("demo_records")
      .countDocuments({ finishedAt: { $exists: true } });
  await expect
    .poll(isMade, { timeout: 600_000 })
    .toBe(1)
    .finally(() => client.close());
}

/** The screen of a payment app. */
function receipt(sender: string, amount: string): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="480" font-family="sans-serif">
    <rect width="480" height="480" fill="#f5f7fa"/>
    <rect x="40" y="40" width="400" height="400" rx="24" fill="#ffffff" stroke="#dde3ea"/>
    <circle cx="240" cy="130" r="44" fill="#2fa36b"/>
    <path d="M219 131l15 15 28-30" fill="none" stroke="#ffffff" stroke-width="8"/>
    <text x="240" y="225" font-size="26" text-anchor="middle" fill="#30405a">Payment sent</text>
    <text x="240" y="290" font-size="48" font-weight="bold" text-anchor="middle" fill="#101c2c">${amount}</text>
    <text x="240" y="350" font-size="24" text-anchor="middle" fill="#66748a">${sender}</text>
  </svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
