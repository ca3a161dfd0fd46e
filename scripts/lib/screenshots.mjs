// @ts-check
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright";
import sharp from "sharp";
import { ensureBrowser } from "./ensure-browser.mjs";
import { projectRoot } from "./project-root.mjs";

/** @typedef {import("./demo-product.mjs").DemoProduct} DemoProduct */
/** @typedef {import("./demo-data.mjs").Session} Session */
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
