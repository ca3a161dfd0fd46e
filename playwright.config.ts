import { defineConfig } from "playwright/test";
import { findBrowser } from "./scripts/lib/ensure-browser.mjs";

const apiPort = 8180;
const clientPort = 5183;

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results/browser",
  forbidOnly: true,
  workers: 1,
  retries: 0,
  timeout: 60_000,
  reporter: [["line"], ["json", { outputFile: "test-results/browser.json" }]],
  use: {
    baseURL: `http://localhost:${clientPort}`,
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: findBrowser(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  // The product itself, as a user starts it, on ports of its own and with nothing in its database.
  webServer: {
    command: "rm -rf .data/e2e/mongo .data/e2e/outbox && exec node scripts/start.mjs",
    url: `http://localhost:${clientPort}/healthz`,
    timeout: 180_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 30_000 },
    stdout: "ignore",
    env: {
      API_PORT: String(apiPort),
      CLIENT_PORT: String(clientPort),
      VITE_API_URL: "",
      CLIENT_ORIGIN: "",
      MONGODB_URI: "",
      DATA_DIR: ".data/e2e",
      ADMIN_PASSWORD: "browser-test-admin",
      MARKET_DATA: "replay",
      OPENAI_API_KEY: "",
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
    },
  },
});
