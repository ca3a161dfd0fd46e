// @ts-check
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npmCommand } from "./npm-command.mjs";
import { PlainError } from "./plain-error.mjs";
import { runCommand } from "./run-command.mjs";

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
 * @throws {PlainError} if npm fails; it says why
 */
export async function makeSbom(root) {
  const parent = mkdtempSync(join(tmpdir(), "sbom-"));
  try {
    // npm takes the name of the product from the folder.
    const folder = join(parent, readJson(join(root, "package.json")).name);
    mkdirSync(folder);
    writeProductionFiles(root, folder);
    const { code, stdout, stderr } = await runCommand({ ...npmCommand(ARGS), cwd: folder });
    if (code !== 0) throw new PlainError(`npm sbom failed: ${stderr.trim()}`);
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
