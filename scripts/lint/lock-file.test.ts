import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { projectRoot } from "../lib/prepare-project.mjs";

const lockFileSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
type Packages = z.infer<typeof lockFileSchema>["packages"];

function readPackages(): Packages {
  const text = readFileSync(join(projectRoot, "package-lock.json"), "utf8");
  return lockFileSchema.parse(JSON.parse(text)).packages;
}

/** Looks a name up as Node.js does: in the package's own node_modules, then in those of the folders above it. */
function isLocked(packages: Packages, path: string, name: string): boolean {
  if (`${path && `${path}/`}node_modules/${name}` in packages) return true;
  if (path === "") return false;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf("node_modules/") - 1));
  return isLocked(packages, parent, name);
}

/** Optional packages that are not locked: native builds for other systems, without which `npm ci` refuses the file. */
function findMissing(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isLocked(packages, path, name))
      .map((name) => `${path} needs ${name}`),
  );
}

describe("the lock file", () => {
  it("has every optional package, so that npm ci accepts it on every system", () => {
    expect(findMissing(readPackages())).toEqual([]);
  });

  it("is incomplete without one native package", () => {
    const { "node_modules/@biomejs/cli-win32-arm64": removed, ...packages } = readPackages();
    expect(removed).toBeDefined();
    expect(findMissing(packages)).toContain(
      "node_modules/@biomejs/biome needs @biomejs/cli-win32-arm64",
    );
  });

  it("may have an optional package in the folder of the package that needs it, or above", () => {
    const none = { optionalDependencies: {} };
    const needs = { optionalDependencies: { native: "1.0.0" } };
    const nested = "node_modules/a/node_modules/b";
    expect(findMissing({ [nested]: needs, [`${nested}/node_modules/native`]: none })).toEqual([]);
    expect(findMissing({ [nested]: needs, "node_modules/a/node_modules/native": none })).toEqual(
      [],
    );
    expect(findMissing({ [nested]: needs, "node_modules/native": none })).toEqual([]);
    expect(findMissing({ [nested]: needs, "node_modules/c/node_modules/native": none })).toEqual([
      `${nested} needs native`,
    ]);
  });

  it("records no download addresses, so that any registry can serve it", () => {
    const recorded = Object.entries(readPackages()).filter(([, { resolved }]) => resolved);
    expect(recorded).toEqual([]);
  });
});
