import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv } from "vite";
import { replacedModules } from "./client/build/replaced-modules.ts";
import { siteFiles } from "./client/build/screen-pages.ts";
import { offlineVerifier, serviceWorker } from "./client/build/standalone-scripts.ts";

const projectRoot = fileURLToPath(new URL(".", import.meta.url));

/** What renders the screens runs from a folder that has neither packages nor a package beside it. */
const oneFile = { codeSplitting: false, entryFileNames: "[name].mjs" };

/** Icons of the home page; a file with those of all other screens would make its first load two kilobytes larger. */
const HOME_ICONS =
  /lucide-react\/.*\/(arrow-(down|up)-right|circle-(check|dashed|x)|hourglass|timer-off|zap|arrow-right|rotate-ccw-clock|brain-circuit)\.\w+$/;

const isOtherIcon = (id: string) => id.includes("lucide-react") && !HOME_ICONS.test(id);

/** Each further file costs the browser a request and a task of its own. */
const fewFiles = {
  codeSplitting: {
    includeDependenciesRecursively: false,
    // A module that only one file needs stays there. Otherwise that file and a shared one could import each other.
    minShareCount: 2,
    groups: [
      { name: "app", tags: ["$initial" as const], minShareCount: 1 },
      { name: "icons", test: isOtherIcon, minShareCount: 3 },
      { name: chunkOf, debugName: "chunks" },
    ],
  },
};

/**
 * What a later chunk imports is requested once it has arrived. Listing it ahead would add the names of some hundred files
 * to the first script of every visitor. The first page's own files are listed in its HTML.
 */
const stylesOnly = (_: string, files: string[]) => files.filter((file) => file.endsWith(".css"));

const routerFile = (name: string) =>
  fileURLToPath(new URL(`node_modules/react-router/dist/production/${name}.mjs`, import.meta.url));

/** The package's entries are its development build, which contains warnings. */
const reactRouter = {
  "react-router/dom": routerFile("dom-export"),
  "react-router": routerFile("index"),
};

export default defineConfig(({ command, mode, isSsrBuild }) => {
  const env = loadEnv(mode, projectRoot, "");
  const apiUrl = env.VITE_API_URL || `http://localhost:${env.API_PORT || 8000}`;
  const port = Number(env.CLIENT_PORT || 5173);
  const origin = env.VITE_CLIENT_ORIGIN || `http://localhost:${port}`;
  return {
    root: "client",
    envDir: projectRoot,
    plugins: [
      react(),
      tailwindcss(),
      replacedModules(),
      siteFiles({ origin, apiUrl }),
      offlineVerifier(),
      serviceWorker(),
    ],
    resolve: {
      alias: {
        "@shared": fileURLToPath(new URL("shared", import.meta.url)),
        ...(command === "build" && reactRouter),
      },
    },
    define: {
      "import.meta.env.VITE_API_URL": JSON.stringify(apiUrl),
      "import.meta.env.VITE_BUILT_YEAR": JSON.stringify(String(new Date().getFullYear())),
    },
    server: { port, strictPort: true },
    preview: { port, strictPort: true },
    ssr: { noExternal: true },
    build: {
      outDir: "dist",
      emptyOutDir: true,
      manifest: true,
      target: "es2022",
      modulePreload: { polyfill: false, resolveDependencies: stylesOnly },
      rolldownOptions: { output: isSsrBuild ? oneFile : fewFiles },
    },
  };
});

interface ModuleGraph {
  getModuleInfo(
    id: string,
  ): { importers: readonly string[]; dynamicImporters: readonly string[] } | null;
}

const VISITORS = /features\/(public\/|payments\/pricing-page)/;
const MEMBERS = /app\/signed-in|features\/bot\/bot-page/;

interface Chunk {
  name: string | null;
  /** Each matches one of the modules loaded with `import()` that need the code. */
  neededBy: RegExp[];
  modules?: RegExp;
}

/**
 * Files of code that several screens need, and the screens that decide what is in each: all that they import. The first that
 * matches applies; the bundler splits what has no name. Without them, each set of screens that share code would get a file
 * of its own, seventy for the bot.
 */
const CHUNKS: Chunk[] = [
  { name: "common", neededBy: [], modules: HOME_ICONS },
  { name: null, neededBy: [], modules: /lucide-react|[iI]nfiniteQuery(Observer)?\.js/ },
  { name: null, neededBy: [VISITORS], modules: /\/zod\/|\/lib\/(api\/|public-api)/ },
  { name: null, neededBy: [], modules: /shared\/contract\/plans/ },
  { name: "forms", neededBy: [/features\/auth\/auth-page/], modules: /\/(use)?[mM]utation/ },
  { name: "common", neededBy: [VISITORS, MEMBERS] },
  { name: null, neededBy: [VISITORS] },
  { name: "forms", neededBy: [/features\/auth\/auth-page/] },
  { name: "schemas", neededBy: [/app\/signed-in/], modules: /\/zod\/|\/shared\// },
  { name: "signed-in", neededBy: [/app\/signed-in/] },
  { name: "bot", neededBy: [/features\/bot\/bot-page/] },
  { name: "admin", neededBy: [/app\/navbar-waiting-count/] },
];

/** @returns the name of the file that a module belongs to, or null if the bundler chooses it */
function chunkOf(id: string, graph: ModuleGraph): string | null {
  const screens = entriesOf(id, graph);
  const chunk = CHUNKS.find(
    ({ neededBy, modules }) =>
      (!modules || modules.test(id)) &&
      neededBy.every((needing) => screens.some((screen) => needing.test(screen))),
  );
  return chunk?.name ?? null;
}

/** The modules loaded with `import()` that import a module, directly or not. */
function entriesOf(id: string, graph: ModuleGraph): string[] {
  const importers = new Set([id]);
  for (const importer of importers) {
    for (const next of graph.getModuleInfo(importer)?.importers ?? []) importers.add(next);
  }
  return [...importers].filter(
    (importer) => graph.getModuleInfo(importer)?.dynamicImporters.length,
  );
}
