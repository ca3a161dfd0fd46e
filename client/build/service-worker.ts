import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";
import { offlineFiles } from "./screen-pages.ts";

const SERVICE_WORKER = "service-worker.js";
const ENTRY = new URL("../service-worker/service-worker.ts", import.meta.url);

/** Adds the service worker, which lacks the list of files that it keeps until all pages are written. */
export function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    apply: (_, { command, isSsrBuild }) => command === "build" && !isSsrBuild,
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: SERVICE_WORKER, source: await bundleScript() });
    },
  };
}

async function bundleScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    build: {
      write: false,
      target: "es2022",
      lib: { entry: fileURLToPath(ENTRY), formats: ["iife"], name: "serviceWorker" },
    },
  });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const [chunk] = outputs.filter((output) => output.type === "chunk");
  if (!chunk) throw new Error("the service worker was built without a script");
  return chunk.code;
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
