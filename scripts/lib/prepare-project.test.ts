import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { areDependenciesInstalled } from "./prepare-project.mjs";

let root = "";
const write = (file: string, content: unknown) =>
  writeFileSync(join(root, file), JSON.stringify(content));
const lock = (version: string) => ({ packages: { "": {}, "node_modules/a": { version } } });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dependencies-"));
  write("package.json", { name: "x" });
  write("package-lock.json", lock("1.0.0"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("installed packages", () => {
  it("are missing in a fresh clone", () => {
    expect(areDependenciesInstalled(root)).toBe(false);
  });

  it("are fresh when npm has installed what the lock file names", () => {
    mkdirSync(join(root, "node_modules"));
    write("node_modules/.package-lock.json", lock("1.0.0"));
    expect(areDependenciesInstalled(root)).toBe(true);
  });

  it("are stale once the lock file names another version", () => {
    mkdirSync(join(root, "node_modules"));
    write("node_modules/.package-lock.json", lock("1.0.0"));
    expect(areDependenciesInstalled(root)).toBe(true);
    write("package-lock.json", lock("1.0.1"));
    expect(areDependenciesInstalled(root)).toBe(false);
  });

  it("are stale when an installation was cut short", () => {
    mkdirSync(join(root, "node_modules"));
    expect(areDependenciesInstalled(root)).toBe(false);
  });

  it("may lack optional packages, which are for other systems", () => {
    mkdirSync(join(root, "node_modules"));
    write("node_modules/.package-lock.json", { packages: {} });
    write("package-lock.json", {
      packages: { "node_modules/b": { version: "1.0.0", optional: true } },
    });
    expect(areDependenciesInstalled(root)).toBe(true);
  });
});
