import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { product, productServer } from "../../e2e/support/config.ts";
import { projectRoot } from "../../scripts/lib/prepare-project.mjs";
import { runCommand } from "../../scripts/lib/run-command.ts";

const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    src: z.string().optional(),
    imports: z.array(z.string()).default([]),
  }),
);

/** The files of code that each file imports before it runs. */
const imports = new Map<string, string[]>();
const codes = new Map<string, string>();
/** Of the modules that have one of their own. */
const files = new Map<string, string>();

/** The pages of the browser tests, which are built only once. */
beforeAll(async () => {
  const env = { ...process.env, NODE_ENV: "development", ...productServer(product, "").env };
  const build = { command: process.execPath, args: ["scripts/run.mjs", "build"] };
  const { code, stderr } = await runCommand({ ...build, cwd: projectRoot, env });
  if (code !== 0) throw new Error(stderr);
  const pages = join(projectRoot, product.dataDir, "client");
  const written = readFileSync(join(pages, ".vite/manifest.json"), "utf8");
  const manifest = manifestSchema.parse(JSON.parse(written));
  for (const { file, src, imports: keys } of Object.values(manifest)) {
    if (!file.endsWith(".js")) continue;
    imports.set(
      file,
      keys.map((key) => manifest[key]?.file ?? expect.fail(`${key} is not in the manifest`)),
    );
    codes.set(file, readFileSync(join(pages, file), "utf8"));
    if (src) files.set(`client/${src}`, file);
  }
  expect(imports.size).toBeGreaterThan(20);
}, 120_000);

/** A module's file and all that it imports, directly or not. */
function filesOf(module: string): Set<string> {
  const file = files.get(module);
  if (!file) throw new Error(`${module} has no file of its own`);
  return reachedFrom(file);
}

function reachedFrom(file: string): Set<string> {
  const reached = new Set([file]);
  for (const next of reached) for (const imported of imports.get(next) ?? []) reached.add(imported);
  return reached;
}

test("the bot starts with few files of code", () => {
  expect(filesOf("client/src/features/bot/bot-page.tsx").size).toBeLessThanOrEqual(14);
});

test("a visitor's first page does not load the code of signed-in users", () => {
  const names = [...filesOf("client/src/features/public/home-page.tsx")].join(" ");
  expect(names).not.toMatch(/assets\/(signed-in|bot|forms)-/);
});

test("no two files of code import each other, so that each runs after those it needs", () => {
  for (const [file, needed] of imports) {
    for (const other of needed) expect([...reachedFrom(other)], other).not.toContain(file);
  }
});

test("a visitor's first page has the names of the markets, without the instruments that they come from", () => {
  const code = [...filesOf("client/src/features/public/home-page.tsx")]
    .map((file) => codes.get(file))
    .join("\n");
  expect(code).toContain("OANDA:NAS100USD");
  expect(code).not.toContain("^NDX");
});
