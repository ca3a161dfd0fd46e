import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv } from "vite";
import { offlineVerifier } from "./client/verifier/offline-verifier.ts";
import { siteFiles } from "./scripts/lib/client-build/screen-pages.ts";

const projectRoot = fileURLToPath(new URL(".", import.meta.url));

/** What renders the screens runs from a folder that has neither packages nor a package beside it. */
const oneFile = { codeSplitting: false, entryFileNames: "[name].mjs" };

/** All that the application starts with comes in one file: every further one would cost a request of its own. */
const fewFiles = {
  codeSplitting: { groups: [{ name: "app", tags: ["$initial" as const] }] },
};

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
    plugins: [react(), tailwindcss(), siteFiles(origin), offlineVerifier()],
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
      rolldownOptions: { output: isSsrBuild ? oneFile : fewFiles },
    },
  };
});
