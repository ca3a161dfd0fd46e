import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { CliError, type Command } from "../lib/cli.ts";
import { npmCommand, projectRoot } from "../lib/prepare-project.mjs";
import { runCommand } from "../lib/run-command.ts";

const SBOM_FILE = "dist/sbom.cdx.json";
export const LICENSES_FILE = "docs/LICENSES.md";

/** `licenses` writes the list of production packages with their licences, `sbom [file]` their bill of materials. */
export async function main({ args, say }: Command): Promise<void> {
  const [command, file = command === "sbom" ? SBOM_FILE : LICENSES_FILE] = args;
  const path = resolve(projectRoot, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, command === "sbom" ? await makeSbom() : listLicenses());
  say(`${productionPackages().length} packages: ${path}`);
}

export function listLicenses(): string {
  const rows = productionPackages().map(
    (one) => `| ${one.name} | ${one.version} | ${one.license} |`,
  );
  return `# Package licences

Packages of a production installation on any platform, made by \`npm run licenses\` from \`package-lock.json\`. A test fails if
this list is out of date, or if a licence has further conditions. Two have conditions, both of packages that are used unchanged and are replaceable: the LGPL of
libvips, a shared library with which sharp decodes images, and the MPL of web-push.

| package | version | licence |
|---|---|---|
${rows.join("\n")}
`;
}

interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
}

const readJson = (file: string) => JSON.parse(readFileSync(join(projectRoot, file), "utf8"));

function lockedPackages(): [string, LockedPackage][] {
  const lock: { packages: Record<string, LockedPackage> } = readJson("package-lock.json");
  return Object.entries(lock.packages).filter(([folder, { dev }]) => folder !== "" && !dev);
}

/** Packages of a production installation on any platform, sorted by name. */
export function productionPackages() {
  const found = new Map<string, { name: string; version: string; license: string }>();
  for (const [folder, { version = "", license }] of lockedPackages()) {
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    found.set(`${name}@${version}`, { name, version, license: license ?? readOldLicense(folder) });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** The form that packages used before 2014, which npm leaves out of the lock file. */
function readOldLicense(folder: string): string {
  const { licenses = [] }: { licenses?: { type: string }[] } = readJson(`${folder}/package.json`);
  return licenses.map(({ type }) => type).join(" OR ") || "unknown";
}

/** npm gets a lock file without development packages: its `--omit=dev` leaves out some that production needs too. */
export async function makeSbom(): Promise<string> {
  const { devDependencies: _, ...manifest } = readJson("package.json");
  const packages = { ...Object.fromEntries(lockedPackages()), "": manifest };
  const lock = { ...readJson("package-lock.json"), packages };
  const parent = mkdtempSync(join(tmpdir(), "sbom-"));
  // npm names the product after the folder.
  const folder = join(parent, manifest.name);
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--no-workspaces"];
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
    const { code, stdout, stderr } = await runCommand({ ...npmCommand(args), cwd: folder });
    if (code !== 0) throw new CliError(`npm sbom failed: ${stderr.trim()}`);
    return stdout;
  } finally {
    rmSync(parent, { recursive: true });
  }
}
