import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";

const PAGE = "verify-ledger.html";
const SCRIPT_PLACE = "/* verifier */";
const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Adds `verify-ledger.html`, to be downloaded: the content policy of this site forbids its inline script. */
export function offlineVerifier(): Plugin {
  return {
    name: "offline-verifier",
    apply: (_, { isSsrBuild }) => !isSsrBuild,
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: PAGE, source: await buildPage() });
    },
    configureServer(server) {
      server.middlewares.use(`/${PAGE}`, (_, response, next) => {
        buildPage().then((page) => {
          response.setHeader("Content-Type", "text/html");
          response.setHeader("Content-Disposition", `attachment; filename="${PAGE}"`);
          response.end(page);
        }, next);
      });
    },
  };
}

async function buildPage(): Promise<string> {
  const page = await readFile(fileOf("verifier.html"), "utf8");
  const script = await bundleScript();
  // As a function, because `$` in a replacement string has a meaning.
  return page.replace(SCRIPT_PLACE, () => script.replaceAll("</script", "<\\/script"));
}

async function bundleScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    resolve: { alias: { "@shared": fileOf("../../shared") } },
    build: {
      write: false,
      target: "es2022",
      lib: { entry: fileOf("verifier.ts"), formats: ["iife"], name: "verifier" },
    },
  });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const [chunk] = outputs.filter((output) => output.type === "chunk");
  if (!chunk) throw new Error("the offline verifier was built without a script");
  return chunk.code;
}
