import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type InlineConfig, type Plugin } from "vite";
import { offlineFiles } from "./screen-pages.ts";

const SERVICE_WORKER = "service-worker.js";

/** Adds the service worker, which lacks the list of files that it keeps until all pages are written. */
export function serviceWorker(): Plugin {
  const define = { "process.env.NODE_ENV": JSON.stringify("production") };
  return {
    name: "service-worker",
    apply: (_, { command, isSsrBuild }) => command === "build" && !isSsrBuild,
    async generateBundle() {
      const source = await bundleScript("../service-worker/service-worker.ts", { define });
      this.emitFile({ type: "asset", fileName: SERVICE_WORKER, source });
    },
  };
}

/** Lists the files of the offline page in the service worker of the built pages. */
export function listOfflineFiles(folder: string): void {
  const files = offlineFiles(folder).map((file) => ({
    url: `/${file}`,
    // The names of assets have a hash of their content already.
    revision: file.startsWith("assets/") ? null : hashOf(join(folder, file)),
  }));
  const script = join(folder, SERVICE_WORKER);
  const list = `const OFFLINE_FILES=${JSON.stringify(files)};`;
  writeFileSync(script, `${list}\n${readFileSync(script, "utf8")}`);
}

const hashOf = (file: string): string =>
  createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);

const VERIFIER = "verify-ledger.html";
const SCRIPT_PLACE = "/* verifier */";

/** Adds `verify-ledger.html`, to be downloaded: the content policy of this site forbids its inline script. */
export function offlineVerifier(): Plugin {
  return {
    name: "offline-verifier",
    apply: (_, { isSsrBuild }) => !isSsrBuild,
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: VERIFIER, source: await buildVerifier() });
    },
    configureServer(server) {
      server.middlewares.use(`/${VERIFIER}`, (_, response, next) => {
        buildVerifier().then((page) => {
          response.setHeader("Content-Type", "text/html");
          response.setHeader("Content-Disposition", `attachment; filename="${VERIFIER}"`);
          response.end(page);
        }, next);
      });
    },
  };
}

async function buildVerifier(): Promise<string> {
  const page = readFileSync(fileOf("../verifier/verifier.html"), "utf8");
  const resolve = { alias: { "@shared": fileOf("../../shared") } };
  const script = await bundleScript("../verifier/verifier.ts", { resolve });
  // As a function, because `$` in a replacement string has a meaning.
  return page.replace(SCRIPT_PLACE, () => script.replaceAll("</script", "<\\/script"));
}

async function bundleScript(entry: string, config: InlineConfig): Promise<string> {
  const built = await build({
    ...config,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    build: {
      write: false,
      target: "es2022",
      lib: { entry: fileOf(entry), formats: ["iife"], name: "script" },
    },
  });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const [chunk] = outputs.filter((output) => output.type === "chunk");
  if (!chunk) throw new Error(`${entry} was built without a script`);
  return chunk.code;
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
