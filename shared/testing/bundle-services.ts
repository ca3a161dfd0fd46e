import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";
import type { TestProject } from "vitest/node";

const PROJECT_ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Modules find their data beside their source file. */
const keepAddresses: Plugin = {
  name: "keep-addresses",
  transform: (code, id) =>
    id.includes("/node_modules/")
      ? null
      : code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
};

/** Of the exchanges that ccxt knows, those that services of tests are set up with. */
const EXCHANGES = new Set(["binance", "kraken"]);
const EXCHANGE_IMPORT = /^import (\w+) from '\.\/src\/(?:pro\/)?(\w+)\.js';$/gm;

/** All exchanges are 10 MB, which each worker would have to compile. */
const keepFewExchanges: Plugin = {
  name: "keep-few-exchanges",
  transform: (code, id) =>
    id.endsWith("/ccxt/js/ccxt.js")
      ? code.replaceAll(EXCHANGE_IMPORT, (line, name, exchange) =>
          EXCHANGES.has(exchange) ? line : `const ${name} = undefined;`,
        )
      : null,
};

/** Test files that start services as processes. */
const STARTS_SERVICES = /\b(spawnService|startLiveProduct)\b/;

/** Fewer start fewer services than would make up for the time that the bundles take. */
const MIN_TEST_FILES = 3;

/** Bundles server and worker for `spawnService`: the bundles start in a third of the time of the sources. */
export async function setup(project: TestProject): Promise<(() => void) | undefined> {
  const files = project.vitest.state.getPaths();
  const starting = files.filter((file) => STARTS_SERVICES.test(readFileSync(file, "utf8")));
  if (starting.length < MIN_TEST_FILES) return;
  const results = join(PROJECT_ROOT, "test-results");
  mkdirSync(results, { recursive: true });
  const outDir = mkdtempSync(join(results, "services-"));
  await build({
    configFile: false,
    root: PROJECT_ROOT,
    logLevel: "warn",
    resolve: { alias: { "@shared": join(PROJECT_ROOT, "shared") } },
    plugins: [keepAddresses, keepFewExchanges],
    // A process reads one file faster than the thousands of its packages. Three of them load files of their own.
    ssr: { noExternal: true, external: ["@node-rs/argon2", "pino", "sharp"] },
    build: {
      ssr: true,
      outDir,
      target: "node20",
      copyPublicDir: false,
      rolldownOptions: {
        // Exchanges that are left out import a package that is not installed, and a package evaluates code.
        checks: { importIsUndefined: false, eval: false },
        input: { server: "server/src/main.ts", worker: "worker/src/main.ts" },
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" },
      },
    },
  });
  process.env.BUNDLED_SERVICES = outDir;
  return () => rmSync(outDir, { recursive: true });
}
