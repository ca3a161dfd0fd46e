import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureDependencies, npmCommand } from "./prepare-project.mjs";
import { runCommand } from "./run-command.ts";

let root = "";
const path = (file: string) => join(root, file);
const writeJson = (file: string, content: unknown) =>
  writeFileSync(path(file), JSON.stringify(content));

/** Runs real npm in the project; its only package is an archive in its own folder, so no registry is needed. */
async function npm(...args: string[]) {
  const { code, stderr } = await runCommand({ ...npmCommand(args), cwd: root });
  if (code !== 0) throw new Error(stderr);
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "dependencies-"));
  mkdirSync(path("source"));
  writeJson("source/package.json", { name: "local-package", version: "1.0.0" });
  await npm("pack", "./source");
  writeJson("package.json", { dependencies: { "local-package": "file:local-package-1.0.0.tgz" } });
  await npm("install", "--package-lock-only", "--offline");
});
afterEach(() => rmSync(root, { recursive: true }));

function install() {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const done = ensureDependencies({ root, say, output: "ignore" });
  return { done, lines };
}

describe("the installation of packages", () => {
  it("makes node_modules what the lock file names, once", async () => {
    const lock = readFileSync(path("package-lock.json"), "utf8");
    mkdirSync(path("node_modules/left-over"), { recursive: true });
    const first = install();
    await first.done;
    expect(first.lines).toEqual(["Installing packages ..."]);
    expect(existsSync(path("node_modules/local-package/package.json"))).toBe(true);
    expect(existsSync(path("node_modules/left-over"))).toBe(false);
    expect(readFileSync(path("package-lock.json"), "utf8")).toBe(lock);
    const second = install();
    await second.done;
    expect(second.lines).toEqual([]);
  });

  it("fails when package.json asks for what the lock file does not have", async () => {
    writeJson("package.json", { dependencies: { "local-package": "file:source" } });
    await expect(install().done).rejects.toThrow("The packages could not be installed");
    expect(existsSync(path("node_modules"))).toBe(false);
  });
});
