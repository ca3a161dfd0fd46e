import { defineConfig } from "playwright/test";
import { findBrowser } from "./lib/test-run/ensure-browser.ts";

const API_PORT = 8190;
const CLIENT_PORT = 5193;

/** A product with recorded candles and an empty database, for Lighthouse and the screenshots of the README. */
export const product = {
  api: `http://localhost:${API_PORT}`,
  pages: `http://localhost:${CLIENT_PORT}`,
  admin: { username: "admin", password: "demo-product-admin" },
  dataDir: ".data/demo",
};

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../test-results/demo",
  workers: 1,
  timeout: 900_000,
  reporter: "line",
  use: {
    baseURL: product.pages,
    viewport: { width: 1440, height: 900 },
    colorScheme: "dark",
    launchOptions: {
      executablePath: findBrowser(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
      ],
    },
  },
  webServer: {
    command: `rm -rf ${product.dataDir}/mongo && exec node scripts/start.mjs`,
    cwd: "..",
    url: `${product.pages}/healthz`,
    timeout: 180_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 30_000 },
    env: {
      API_PORT: String(API_PORT),
      CLIENT_PORT: String(CLIENT_PORT),
      VITE_API_URL: "",
      CLIENT_ORIGIN: "",
      MONGODB_URI: "",
      DATA_DIR: product.dataDir,
      ADMIN_USERNAME: product.admin.username,
      ADMIN_PASSWORD: product.admin.password,
      MARKET_DATA: "replay",
      OPENAI_API_KEY: "",
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
    },
  },
});
