import { defineConfig } from "vitest/config";
import { common } from "../../vitest.config.ts";

/** Only the suites that need the emulator, which `npm test` leaves out. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ["scripts/test-firebase/*.suite.ts"],
    globalSetup: ["shared/testing/global-setup.ts"],
  },
});
