import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const ALL = "{client,server,worker,shared,scripts}/**/*.test.ts";
/** They render in jsdom, against a fake of the REST API. */
const COMPONENTS = "client/src/**/*.test.tsx";

/** What suites with a configuration of their own have in common with all tests. */
export const common = {
  resolve: {
    alias: {
      "@shared": fileURLToPath(new URL("shared", import.meta.url)),
      // One file instead of one for each icon.
      "lucide-react": fileURLToPath(import.meta.resolve("lucide-react")),
    },
  },
  test: {
    pool: "forks",
    // Only a failure takes that long, but a busy machine may.
    testTimeout: 60_000,
    hookTimeout: 90_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
} as const satisfies ViteUserConfig;

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    execArgv: [
      // Most objects of a test are short-lived: a larger nursery saves half of the garbage collection.
      "--max-semi-space-size=64",
      // Most functions run a few times: V8 optimizes one after about eight times as much work as by default, which saves a twentieth.
      "--interrupt-budget=528000",
    ],
    projects: [
      {
        extends: true,
        test: {
          name: "components",
          include: [COMPONENTS],
          environment: "jsdom",
          setupFiles: ["client/src/testing/setup.ts"],
          isolate: false,
          // A run of all tests has a process for them beside those of the others. Each further one would load React once more.
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          globalSetup: ["shared/testing/global-setup.ts", "shared/testing/bundle-services.ts"],
          setupFiles: ["shared/testing/empty-databases.ts"],
          include: [ALL],
          // More than there are processors: many tests wait for seconds.
          maxWorkers: 6,
          sequence: { groupOrder: 1 },
          // Each file has its own server and clock and an empty database; importing everything again takes a fifth of the run.
          isolate: false,
        },
      },
    ],
  },
});
