import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@shared": fileURLToPath(new URL("shared", import.meta.url)) } },
  test: {
    include: ["{client,server,worker,shared,scripts}/**/*.test.{ts,tsx}"],
    globalSetup: ["shared/testing/global-setup.ts"],
    pool: "forks",
    maxWorkers: 3,
    // Only a failure takes that long, but a busy machine may.
    testTimeout: 60_000,
    hookTimeout: 90_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
