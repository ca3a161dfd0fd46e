import { build } from "vite";
import { beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/prepare-project.mjs";

/** The files of code that each file imports before it runs. */
const imports = new Map<string, string[]>();
const codes = new Map<string, string>();
const files = new Map<string, string>();

beforeAll(async () => {
  const config = { root: `${projectRoot}/client`, configFile: `${projectRoot}/vite.config.ts` };
  const built = await build({ ...config, logLevel: "silent", build: { write: false } });
  if (!("output" in built)) throw new Error("the client was not built once");
  for (const chunk of built.output) {
    if (chunk.type !== "chunk") continue;
    imports.set(chunk.fileName, chunk.imports);
    codes.set(chunk.fileName, chunk.code);
    if (chunk.facadeModuleId) files.set(chunk.facadeModuleId, chunk.fileName);
  }
}, 60_000);

/** A module's file and all that it imports, directly or not. */
function filesOf(module: string): Set<string> {
  const [, file] = [...files].find(([id]) => id.endsWith(module)) ?? [];
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
