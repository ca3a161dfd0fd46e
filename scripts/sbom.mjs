// @ts-check
// `npm run sbom [-- file]`: the software bill of materials of a production installation, from the lock file alone.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { runMain } from "./lib/cli.mjs";
import { projectRoot } from "./lib/prepare-project.mjs";
import { makeSbom } from "./lib/release/packages.mjs";

const FILE = "dist/sbom.cdx.json";

await runMain(async () => {
  const file = resolve(projectRoot, process.argv[2] ?? FILE);
  const { text, components } = await makeSbom(projectRoot);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${components.length} packages: ${file}`);
});
