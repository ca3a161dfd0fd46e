import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { npmCommand } from "./prepare-project.mjs";

let root = "";
let execPath = "";
function addScript(path: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  return file;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "npm-command-"));
  execPath = join(root, "node.exe");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the command line of npm", () => {
  it("runs the npm that started this process", () => {
    const script = addScript("own/npm-cli.js");
    addScript("node_modules/npm/bin/npm-cli.js");
    expect(npmCommand(["ci"], { env: { npm_execpath: script }, execPath })).toEqual({
      command: execPath,
      args: [script, "ci"],
    });
  });

  it("does not run another package manager that started this process", () => {
    const env = { npm_execpath: addScript("own/pnpm.cjs") };
    expect(npmCommand(["ci"], { env, execPath })).toEqual({ command: "npm", args: ["ci"] });
  });

  it("runs the npm beside Node.js, as on Windows", () => {
    const script = addScript("node_modules/npm/bin/npm-cli.js");
    const { command, args } = npmCommand(["ci"], { env: {}, execPath });
    expect([command, ...args]).toEqual([execPath, script, "ci"]);
  });

  it("finds npm on the PATH where neither is known", () => {
    expect(npmCommand(["ci"], { env: {}, execPath })).toEqual({ command: "npm", args: ["ci"] });
  });
});
