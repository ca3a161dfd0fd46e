import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import type { Command } from "../lib/cli.mjs";
import { CliError } from "../lib/cli.mjs";
import { npmCommand, runCommand } from "../lib/commands.mjs";
import { projectRoot } from "../lib/prepare-project.mjs";

const SBOM_FILE = "dist/sbom.cdx.json";

/** Prints the licences of the production packages; with `sbom` as first argument, writes their bill of materials. */
export async function main({ args, say }: Command): Promise<void> {
  const [command, file = SBOM_FILE] = args;
  if (command !== "sbom") {
    for (const { name, version, license } of productionPackages())
      say(`${license}\t${name} ${version}`);
    return;
  }
  const path = resolve(projectRoot, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await makeSbom());
  say(`${productionPackages().length} packages: ${path}`);
}

const lockedPackageSchema = z.looseObject({
  version: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
});
const lockSchema = z.looseObject({ packages: z.record(z.string(), lockedPackageSchema) });
const manifestSchema = z.looseObject({ name: z.string() });
/** The form that packages used before 2014, which npm leaves out of the lock file. */
const oldLicensesSchema = z.object({
  licenses: z.array(z.object({ type: z.string() })).default([]),
});

const readJson = (file: string): unknown =>
  JSON.parse(readFileSync(join(projectRoot, file), "utf8"));

interface LicensedPackage {
  name: string;
  version: string;
  license: string;
}

/** Packages of a production installation on any platform, sorted by name. */
export function productionPackages(): LicensedPackage[] {
  const { packages } = lockSchema.parse(readJson("package-lock.json"));
  const found = new Map<string, LicensedPackage>();
  for (const [path, { version = "", license, dev }] of Object.entries(packages)) {
    if (path === "" || dev) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    found.set(`${name}@${version}`, { name, version, license: license ?? readOldLicense(path) });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, "en"));
}

function readOldLicense(folder: string): string {
  const { licenses } = oldLicensesSchema.parse(readJson(join(folder, "package.json")));
  return licenses.map(({ type }) => type).join(" OR ") || "unknown";
}

/**
 * Bill of materials of a production installation on any platform, in CycloneDX's JSON. npm gets a lock file without
 * development packages: its `--omit=dev` also leaves out packages that both production and development need.
 */
export async function makeSbom(): Promise<string> {
  const { devDependencies: _, ...manifest } = manifestSchema.parse(readJson("package.json"));
  const lock = lockSchema.parse(readJson("package-lock.json"));
  const parent = mkdtempSync(join(tmpdir(), "sbom-"));
  // npm names the product after the folder.
  const folder = join(parent, manifest.name);
  const production = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev);
  const packages = { ...Object.fromEntries(production), "": manifest };
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--no-workspaces"];
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
    const { code, stdout, stderr } = await runCommand({ ...npmCommand(args), cwd: folder });
    if (code !== 0) throw new CliError(`npm sbom failed: ${stderr.trim()}`);
    return stdout;
  } finally {
    rmSync(parent, { recursive: true });
  }
}
