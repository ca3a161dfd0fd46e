import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../lib/prepare-project.mjs";

const CHANGE =
  /securityLog\b[\s\S]{0,60}?\.(update|replace|delete|findOneAnd|bulk|drop|collection\.)/;

it("no code changes or deletes entries of the security log", () => {
  const { stdout } = spawnSync("git", ["ls-files", "server", "worker", "shared", "scripts"], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  const files = stdout.split("\n").filter((file) => /(?<!\.test|\.suite)\.m?ts$/.test(file));
  expect(files).toContain("shared/database/models/security-log.ts");
  const textOf = (file: string) => readFileSync(join(projectRoot, file), "utf8");
  expect(files.filter((file) => CHANGE.test(textOf(file)))).toEqual([]);
  // By its name, the collection could be changed past the model.
  expect(files.filter((file) => textOf(file).includes('"security_log"'))).toEqual([
    "shared/database/models/security-log.ts",
  ]);
});
