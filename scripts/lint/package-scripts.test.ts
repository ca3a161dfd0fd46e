import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { projectRoot } from "../lib/prepare-project.mjs";

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")));

/** One program with plain arguments: the only form that `sh` and Windows' `cmd` read in the same way. */
const PORTABLE = /^(node|tsc|biome|vitest)( [\w./:=-]+)*$/;

describe("the scripts of package.json", () => {
  it.each(Object.entries(scripts))("include %s, which runs on every system: %s", (_, script) => {
    expect(script).toMatch(PORTABLE);
  });

  it.each([
    "exec node scripts/run.mjs",
    "rm -rf dist",
    "NODE_ENV=test node scripts/run.mjs",
    "node scripts/run.mjs && node scripts/run.mjs",
    "node scripts/run.mjs | tee log",
    "node scripts/run.mjs > log",
    "node $SCRIPT",
    "node 'scripts/run.mjs'",
    "node scripts/*.mjs",
    "sh scripts/start.sh",
  ])("may not include: %s", (script) => {
    expect(script).not.toMatch(PORTABLE);
  });
});
