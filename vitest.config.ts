import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

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

/**
 * Integration tests run first: they often wait, and the processors would be idle if they ran at the end. The files of a
 * project stay together, because they share processes.
 */
class IntegrationTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === "components") return 2;
  return moduleId.includes(".integration.") ? 0 : 1;
}

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    // Two more than the tests need processors: some wait for seconds.
    maxWorkers: 4,
    sequence: { sequencer: IntegrationTestsFirst },
    // Most objects of a test are short-lived: a larger nursery saves half of the garbage collection.
    execArgv: ["--max-semi-space-size=64"],
    projects: [
      {
        extends: true,
        test: {
          name: "components",
          include: [COMPONENTS],
          environment: "jsdom",
          setupFiles: ["client/src/testing/setup.ts"],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          globalSetup: ["shared/testing/global-setup.ts", "shared/testing/bundle-services.ts"],
          setupFiles: ["shared/testing/empty-databases.ts"],
          include: [ALL],
          // Each file has its own server and clock and an empty database; importing everything anew takes a fifth of the run.
          isolate: false,
        },
      },
    ],
  },
});
