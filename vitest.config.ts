import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const ALL = "{client,server,worker,shared,scripts}/**/*.test.{ts,tsx}";
/** They replace a module by `vi.mock`, which works only before anybody has imported it. */
const REPLACING_A_MODULE = [
  "server/src/identity/builtin-identity.integration.test.ts",
  "server/src/routes/account-routes.integration.test.ts",
];

export default defineConfig({
  resolve: { alias: { "@shared": fileURLToPath(new URL("shared", import.meta.url)) } },
  test: {
    globalSetup: ["shared/testing/global-setup.ts"],
    pool: "forks",
    maxWorkers: 3,
    // Only a failure takes that long, but a busy machine may.
    testTimeout: 60_000,
    hookTimeout: 90_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      { extends: true, test: { name: "isolated", include: REPLACING_A_MODULE } },
      {
        extends: true,
        test: {
          name: "shared",
          include: [ALL],
          exclude: [...REPLACING_A_MODULE, "**/node_modules/**"],
          // Each file has its own database, server and clock; importing everything anew takes a fifth of the run.
          isolate: false,
        },
      },
    ],
  },
});
