import { fileURLToPath } from "node:url";
import { type Plugin, runnerImport } from "vite";

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Modules whose values are known when the client is built, without what they are derived from. */
const MODULES = [fileOf("../src/lib/listed-markets.ts")];

const resolve = { alias: { "@shared": fileOf("../../shared") } };

export function replacedModules(): Plugin {
  return {
    name: "replaced-modules",
    apply: "build",
    async load(id) {
      if (!MODULES.includes(id)) return null;
      const config = { configFile: false, resolve } as const;
      const { module } = await runnerImport<Record<string, unknown>>(id, config);
      const values = Object.entries(module);
      return values
        .map(([name, value]) => `export const ${name}=${JSON.stringify(value)};`)
        .join("\n");
    },
  };
}
