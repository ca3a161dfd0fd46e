import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../lib/prepare-project.mjs";

const MODELS = "shared/database/models";

it("docs/scaling.md says of every collection what bounds it", () => {
  const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");
  const models = readdirSync(join(projectRoot, MODELS)).map((file) => read(join(MODELS, file)));
  const collections = models
    .flatMap((text) => [...text.matchAll(/recordSchema<\w+>\(\s*"(\w+)"/g)])
    .map(([, name]) => name);
  expect(collections.length).toBeGreaterThan(40);
  const [, growth = ""] = read("docs/scaling.md").split("## What grows\n");
  const stated = growth.slice(0, growth.indexOf("\n## "));
  expect(collections.filter((name) => !stated.includes(`\`${name}\``))).toEqual([]);
});
