import { defineConfig } from "playwright/test";
import { apiUrl, clientUrl, product, productServer } from "./e2e/support/config.ts";
import { findBrowser } from "./scripts/lib/test-run/ensure-browser.ts";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results/browser",
  globalSetup: "./e2e/support/wait-for-api.ts",
  metadata: { apiUrl },
  forbidOnly: true,
  // One more than the tests need processors: a test waits for about a third of its time.
  workers: 3,
  fullyParallel: true,
  // Three browsers share the processors with the product. What passes only at the second attempt is reported as flaky.
  retries: 1,
  timeout: 60_000,
  // Only a failure takes that long, but a busy machine may.
  expect: { timeout: 10_000 },
  reporter: [["line"], ["json", { outputFile: "test-results/browser.json" }]],
  use: {
    baseURL: clientUrl,
    screenshot: "only-on-failure",
    // Only the test of the installed app has one: it answers requests that other tests fail on purpose.
    serviceWorkers: "block",
    // Animations take a fifth of the browser's time, and every test waits for their end.
    contextOptions: { reducedMotion: "reduce" },
    // Recording takes a third of the time of every test. To look into a failure, add `--trace retain-on-failure`.
    trace: "off",
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
        // Pages reach nothing but this machine. A route would see to that too, but it stops every request and the cache.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
      ],
    },
  },
  webServer: productServer(product, "browser-test-admin"),
});
