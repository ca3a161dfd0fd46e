// @ts-check
// `npm run sbom [-- file]`: the software bill of materials of a production installation, from the lock file alone.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { makeSbom } from "./lib/make-sbom.mjs";
import { projectRoot } from "./lib/project-root.mjs";
import { runMain } from "./lib/run-main.mjs";

const FILE = "dist/sbom.cdx.json";

await runMain(async () => {
  const file = resolve(projectRoot, process.argv[2] ?? FILE);
  const { text, components } = await makeSbom(projectRoot);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${components.length} packages: ${file}`);
});
