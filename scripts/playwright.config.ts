import { defineConfig } from "playwright/test";
import { apiUrlOf, clientUrlOf, productServer } from "../e2e/support/config.ts";
import { findBrowser } from "./lib/test-run/ensure-browser.ts";

const address = { apiPort: 8190, clientPort: 5193, dataDir: ".data/demo" };

/** A product for Lighthouse and the screenshots of the README. */
export const product = {
  api: apiUrlOf(address),
  pages: clientUrlOf(address),
  admin: { username: "admin", password: "demo-product-admin" },
  dataDir: address.dataDir,
};

const server = productServer(address, product.admin.password);

/** The screenshots show the record of the demo, whose making would disturb Lighthouse. */
const isForReadme = process.argv.some((part) => part.includes("screenshots"));

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  globalSetup: "../e2e/support/wait-for-api.ts",
  metadata: { apiUrl: product.api },
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
  webServer: { ...server, env: { ...server.env, DEMO_RECORD: isForReadme ? "on" : "off" } },
});
