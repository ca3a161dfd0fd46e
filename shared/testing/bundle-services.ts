import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";

const PROJECT_ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Modules find their data beside their source file. */
const keepAddresses: Plugin = {
  name: "keep-addresses",
  transform: (code, id) =>
    id.includes("/node_modules/")
      ? null
      : code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
};

/** Bundles server and worker for `spawnService`: the bundles start in less than half the time of the sources. */
export async function setup(): Promise<() => void> {
  const results = join(PROJECT_ROOT, "test-results");
  mkdirSync(results, { recursive: true });
  const outDir = mkdtempSync(join(results, "services-"));
  await build({
    configFile: false,
    root: PROJECT_ROOT,
    logLevel: "warn",
    resolve: { alias: { "@shared": join(PROJECT_ROOT, "shared") } },
    plugins: [keepAddresses],
    // Packages of hundreds of files, which a process reads faster as one.
    ssr: { noExternal: ["ccxt", "mongoose", "mongodb", "bson", "openai"] },
    build: {
      ssr: true,
      outDir,
      target: "node20",
      copyPublicDir: false,
      rolldownOptions: {
        // An exchange that the product does not use imports a package that is not installed.
        checks: { importIsUndefined: false },
        input: { server: "server/src/main.ts", worker: "worker/src/main.ts" },
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" },
      },
    },
  });
  process.env.BUNDLED_SERVICES = outDir;
  return () => rmSync(outDir, { recursive: true });
}
