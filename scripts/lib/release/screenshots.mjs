// @ts-check
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { chromium } from "playwright";
import sharp from "sharp";
import { projectRoot } from "../prepare-project.mjs";
import { ensureBrowser } from "../test-run/ensure-browser.mjs";

/** @typedef {import("./demo-product.mjs").DemoProduct} DemoProduct */
/** @typedef {import("playwright").Page} Page */

const FOLDER = join(projectRoot, "docs", "images");
const VIEWPORT = { width: 1440, height: 900 };

/** @type {{ name: string, path: string, as?: "admin" | "trader", prepare(page: Page): Promise<void> }[]} */
const PICTURES = [
  {
    name: "home",
    path: "/",
    prepare: (page) => page.locator('[data-state="failed"]').first().waitFor(),
  },
  {
    name: "bot",
    path: "/bot",
    as: "trader",
    async prepare(page) {
      await page.getByRole("combobox", { name: "Symbol" }).fill("LTC/USDT");
      await page.keyboard.press("Tab");
      await page.getByRole("button", { name: "Get Signal" }).click();
      await page.locator("[data-signal] canvas").first().waitFor();
    },
  },
  {
    name: "history",
    path: "/signal-history",
    as: "trader",
    prepare: (page) => page.locator("[data-signal]").first().waitFor(),
  },
  {
    name: "admin",
    path: "/admin",
    as: "admin",
    prepare: (page) => page.getByRole("article").first().waitFor(),
  },
];

/**
 * Writes the pictures to `docs/images`, 1440 × 900 in the dark theme.
 *
 * @param {object} options
 * @param {DemoProduct} options.product
 * @param {{ admin: Session, trader: Session }} options.people
 * @param {(line: string) => void} options.say
 */
export async function takeScreenshots({ product, people, say }) {
  await mkdir(FOLDER, { recursive: true });
  const args = ["--no-sandbox", "--disable-gpu"];
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args });
  try {
    for (const { name, path, as, prepare } of PICTURES) {
      const context = await browser.newContext({ viewport: VIEWPORT, colorScheme: "dark" });
      await context.route(
        (url) => url.hostname !== "localhost",
        (route) => route.abort(),
      );
      const page = await context.newPage();
      if (as) await signIn(page, { pages: product.pages, session: people[as] });
      await page.goto(product.pages + path);
      await prepare(page);
      await page.waitForLoadState("networkidle");
      say(`docs/images/${name}.png: ${await savePicture(page, name)} KB`);
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

/**
 * @param {Page} page
 * @param {{ pages: string, session: Session }} options
 */
async function signIn(page, { pages, session: { token, approved, role } }) {
  await page.goto(`${pages}/healthz`);
  const stored = { token, isApproved: String(approved), isAdmin: String(role === "admin") };
  await page.evaluate((items) => {
    for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value);
  }, stored);
}

/**
 * Few colours are enough for a screen, and make a small file.
 *
 * @param {Page} page
 * @param {string} name
 */
async function savePicture(page, name) {
  const taken = await page.screenshot({ animations: "disabled" });
  const small = await sharp(taken).png({ palette: true, colours: 256, effort: 10 }).toBuffer();
  await writeFile(join(FOLDER, `${name}.png`), small);
  return Math.round(small.byteLength / 1_024);
}

/** @typedef {{ token: string, approved: boolean, role: string, username: string }} Session */

const PASSWORD = "demo-password";

const TRADERS = [
  { username: "maria.keller", sender: "Maria Keller", amount: "$150.00", approved: true },
  { username: "j_okafor", sender: "James Okafor", amount: "$100.00", approved: true },
  { username: "li.wei", sender: "Li Wei", amount: "$150.00", approved: false },
  { username: "sofia-rossi", sender: "Sofia Rossi", amount: "$50.00", approved: false },
];
/** Asked for by the first trader. */
const SIGNALS = [
  { symbol: "EUR/USD", timeframe: "4h" },
  { symbol: "ETH/USDT", timeframe: "1h" },
  { symbol: "XAU/USD", timeframe: "1d" },
  { symbol: "SOL/USDT", timeframe: "15m" },
  { symbol: "US30", timeframe: "1h" },
  { symbol: "BNB/USDT", timeframe: "1h" },
  { symbol: "GBP/USD", timeframe: "1h" },
  { symbol: "XRP/USDT", timeframe: "4h" },
  { symbol: "LTC/USDT", timeframe: "1h" },
];
/** What is said to have become of the trades, the newest first. */
const OUTCOMES = ["WIN", "LOSS", "WIN", "WIN", "EXPIRED"];
const APART_MS = 17.3 * 60 * 60_000;

/**
 * Registers traders with payment proofs, lets one of them ask for signals, and moves those into the past.
 *
 * @param {{ product: DemoProduct, mongodbUri: string }} options
 * @returns {Promise<{ admin: Session, trader: Session }>}
 */
export async function fillWithDemoData({ product: { api, admin }, mongodbUri }) {
  const administrator = await post(`${api}/login`, { json: admin });
  const { token } = administrator;
  /** @type {Session[]} */
  const sessions = [];
  for (const { username, sender, amount, approved } of TRADERS) {
    const json = { username, email: `${username}@example.com`, password: PASSWORD };
    const session = await post(`${api}/register`, { json });
    const proof = new FormData();
    proof.set("sender_name", sender);
    proof.set("proof_image", new Blob([await receipt(sender, amount)]), "receipt.png");
    await post(`${api}/submit-payment-proof`, { token: session.token, form: proof });
    if (approved) {
      await post(`${api}/admin/approve/${username}`, { token });
      const credits = new URLSearchParams({ credits: "200" });
      await post(`${api}/admin/grant-image-credits/${username}`, { token, form: credits });
    }
    sessions.push({ ...session, approved });
  }
  const [trader] = sessions;
  if (!trader) throw new Error("There is no trader to ask for signals.");
  for (const { symbol, timeframe } of SIGNALS) {
    await post(`${api}/get-signal`, { token: trader.token, json: { symbol, timeframe } });
  }
  await moveIntoThePast(mongodbUri);
  return { admin: administrator, trader };
}

/**
 * Trades come first, so that a picture of the first few signals shows all that a signal can be.
 *
 * @param {string} mongodbUri
 */
async function moveIntoThePast(mongodbUri) {
  const client = await MongoClient.connect(mongodbUri);
  try {
    const signals = client.db().collection("signals");
    const stored = await signals.find().toArray();
    const isTrade = (/** @type {(typeof stored)[number]} */ signal) =>
      signal.analysis.final_signal !== "WAIT";
    const newestFirst = [...stored.filter(isTrade), ...stored.filter((one) => !isTrade(one))];
    for (const [index, signal] of newestFirst.entries()) {
      const createdAt = new Date(Date.now() - (index + 0.4) * APART_MS);
      const outcome = isTrade(signal) ? OUTCOMES[index] : undefined;
      const change = { createdAt, ...(outcome && { outcome }) };
      await signals.updateOne({ _id: signal._id }, { $set: change });
    }
  } finally {
    await client.close();
  }
}

/**
 * The screen of a payment app.
 *
 * @param {string} sender
 * @param {string} amount
 */
function receipt(sender, amount) {
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

/**
 * @param {string} url
 * @param {{ token?: string, json?: object, form?: FormData | URLSearchParams }} options
 * @returns {Promise<Session>} the answer; only that of a login or registration is looked at
 */
async function post(url, { token, json, form }) {
  const headers = new Headers();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  if (json) headers.set("Content-Type", "application/json");
  const body = json ? JSON.stringify(json) : (form ?? null);
  const answer = await fetch(url, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
