// @ts-check
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../cli.mjs";
import { npmCommand, runCommand } from "../commands.mjs";

/**
 * @typedef {{ version?: string, license?: string, dev?: boolean }} LockedPackage
 * @typedef {{ name: string, version: string, license: string }} LicensedPackage
 */

/** Where the list is kept, from the project's root. */
export const LICENSES_FILE = "docs/LICENSES.md";

/** They ask for their own text to be kept, which node_modules does, and for nothing of our code. */
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
]);

/**
 * sharp's image library is a shared library in a package of its own, used unchanged: whoever gets the product can put
 * another build in its place, as the LGPL asks. For code that is bundled that would not hold, so nothing else may have it.
 */
const LGPL = "LGPL-3.0-or-later";
const MAY_BE_LGPL = /^@img\/sharp-/;

/**
 * The packages that a production installation may hold, on whatever platform, by name and version.
 *
 * @param {string} root the project's folder
 * @returns {LicensedPackage[]}
 */
export function productionPackages(root) {
  /** @type {{ packages: Record<string, LockedPackage> }} */
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const found = new Map();
  for (const [path, locked] of Object.entries(packages)) {
    if (path === "" || locked.dev) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const version = locked.version ?? "";
    const license = locked.license ?? licenseInOldForm(join(root, path));
    found.set(`${name}@${version}`, { name, version, license });
  }
  return [...found.values()].sort(
    (a, b) => a.name.localeCompare(b.name, "en") || a.version.localeCompare(b.version, "en"),
  );
}

/**
 * npm's lock file leaves out what a package says in the form of before 2014: `licenses: [{ type }]`.
 *
 * @param {string} folder
 */
function licenseInOldForm(folder) {
  /** @type {{ licenses?: { type: string }[] }} */
  const { licenses = [] } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return licenses.map(({ type }) => type).join(" OR ") || "unknown";
}

/**
 * Whether the product may be distributed together with the package. Of a choice (`OR`) one has to do, of several that
 * hold at once (`AND`) all.
 *
 * @param {Pick<LicensedPackage, "name" | "license">} package_
 */
export function isAllowed({ name, license }) {
  /** @param {string} id */
  const isFine = (id) => PERMISSIVE.has(id) || (id === LGPL && MAY_BE_LGPL.test(name));
  const choices = license.replaceAll(/[()]/g, "").split(" OR ");
  return choices.some((choice) => choice.split(" AND ").every(isFine));
}

/** @param {readonly LicensedPackage[]} packages */
export function describeLicenses(packages) {
  const rows = packages.map(
    ({ name, version, license }) => `| ${name} | ${version} | ${license} |`,
  );
  return `# Licences of the packages

What a production installation may hold, on whatever platform: made from \`package-lock.json\` by \`npm run licenses\`. A test
fails when this list and the lock file disagree, or when a licence is not among those that ask for nothing but to be kept.

One that asks for more is allowed in one place: libvips, which sharp decodes pictures with, is under the LGPL. It comes as a
shared library in a package of its own, is used unchanged, and can be replaced by another build. No package under the GPL,
the AGPL or the MPL is used.

| package | version | licence |
|---|---|---|
${rows.join("\n")}
`;
}

/** @typedef {{ name: string, group?: string, version: string }} SbomComponent */

const ARGS = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--no-workspaces"];

/**
 * The packages of a production installation, on whatever platform, in CycloneDX's JSON. Needs npm, but no network.
 *
 * npm is shown a lock file without what only development needs: its own `--omit dev` also leaves out whatever
 * development needs *too*, nodemailer and tsx among them.
 *
 * @param {string} root the project's folder
 * @returns {Promise<{ text: string, components: SbomComponent[] }>}
 * @throws {CliError} if npm fails; it says why
 */
export async function makeSbom(root) {
  const parent = mkdtempSync(join(tmpdir(), "sbom-"));
  try {
    // npm takes the name of the product from the folder.
    const folder = join(parent, readJson(join(root, "package.json")).name);
    mkdirSync(folder);
    writeProductionFiles(root, folder);
    const { code, stdout, stderr } = await runCommand({ ...npmCommand(ARGS), cwd: folder });
    if (code !== 0) throw new CliError(`npm sbom failed: ${stderr.trim()}`);
    return { text: stdout, components: JSON.parse(stdout).components };
  } finally {
    rmSync(parent, { recursive: true });
  }
}

/**
 * @param {string} root
 * @param {string} folder
 */
function writeProductionFiles(root, folder) {
  const { devDependencies, ...manifest } = readJson(join(root, "package.json"));
  const lock = readJson(join(root, "package-lock.json"));
  const { "": project, ...packages } = lock.packages;
  const production = Object.entries(packages).filter(([, { dev }]) => !dev);
  const { devDependencies: _, ...own } = project;
  const locked = { ...lock, packages: { "": own, ...Object.fromEntries(production) } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(locked));
}

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
