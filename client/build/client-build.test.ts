import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashFiles } from "./client-build.ts";

let root = "";
const hash = (texts: string[] = []) => hashFiles(root, ["src", "lock.json"], texts);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "file-hash-"));
  mkdirSync(join(root, "src/deep"), { recursive: true });
  writeFileSync(join(root, "src/deep/a.ts"), "a");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the hash of sources", () => {
  it("stays while nothing changes", () => {
    expect(hash()).toBe(hash());
  });

  it.each([
    ["a file changes", () => writeFileSync(join(root, "src/deep/a.ts"), "b")],
    ["a file is added", () => writeFileSync(join(root, "src/b.ts"), "")],
    [
      "a file is renamed",
      () => renameSync(join(root, "src/deep/a.ts"), join(root, "src/deep/b.ts")),
    ],
    ["a file appears that was missing", () => writeFileSync(join(root, "lock.json"), "{}")],
  ])("differs when %s", (_what, change) => {
    const before = hash();
    change();
    expect(hash()).not.toBe(before);
  });

  it("differs when a setting that is built in does", () => {
    expect(hash(["VITE_API_URL=http://a"])).not.toBe(hash(["VITE_API_URL=http://b"]));
  });

  it("leaves out what is built or installed", () => {
    const before = hash();
    mkdirSync(join(root, "src/dist"));
    writeFileSync(join(root, "src/dist/a.js"), "built");
    expect(hash()).toBe(before);
  });
});
