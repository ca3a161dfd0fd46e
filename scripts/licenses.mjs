// @ts-check
// `npm run licenses`: the licences of all production packages, into docs/LICENSES.md.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliError, runMain } from "./lib/cli.mjs";
import { projectRoot } from "./lib/prepare-project.mjs";
import {
  describeLicenses,
  isAllowed,
  LICENSES_FILE,
  productionPackages,
} from "./lib/release/packages.mjs";

await runMain(async () => {
  const packages = productionPackages(projectRoot);
  writeFileSync(join(projectRoot, LICENSES_FILE), describeLicenses(packages));
  console.log(`${packages.length} packages: ${LICENSES_FILE}`);
  const refused = packages.filter((package_) => !isAllowed(package_));
  if (refused.length === 0) return;
  const names = refused.map(({ name, license }) => `${name} (${license})`).join(", ");
  throw new CliError(`These licences have to be looked at first: ${names}`);
});
