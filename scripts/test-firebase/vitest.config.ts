import { defineConfig } from "vitest/config";
import project from "../../vitest.config.ts";

/** As all tests, but only those that need the emulator, which `npm test` leaves out. */
export default defineConfig({
  ...project,
  test: { ...project.test, include: ["scripts/test-firebase/*.suite.ts"] },
});
