import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { projectRoot } from "../lib/prepare-project.mjs";

const FOLDERS = ["client", "e2e", "scripts", "server", "shared", "worker"];
const PRODUCTION = /^(server|worker|shared)\/(?!.*(\.test\.|\btesting\/))/;

const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const manifest = manifestSchema.parse(
  JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")),
);

function listSources(): string[] {
  const nested = FOLDERS.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.replaceAll("\\", "/")}`,
    ),
  );
  const configs = readdirSync(projectRoot).filter((file) => file.endsWith(".config.ts"));
  return [...nested, ...configs].filter(
    (file) => /\.(ts|tsx|mjs)$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file),
  );
}

/** Packages named in imports and exports of a source text. A name that is computed is unknown and left out. */
function importedPackages(file: string, text: string): string[] {
  const { module } = parseSync(file, text);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .map(({ moduleRequest }) => moduleRequest?.value ?? ""),
    ...module.dynamicImports
      .map(({ moduleRequest: { start, end } }) => text.slice(start, end))
      .map((literal) => /^["'`]([^$]*)["'`]$/.exec(literal)?.[1] ?? ""),
  ];
  return specifiers
    .filter((name) => name !== "" && !/^(\.|\/|node:|@shared\/)/.test(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

const imports = listSources().flatMap((file) =>
  importedPackages(file, readFileSync(join(projectRoot, file), "utf8")).map((name) => ({
    file,
    name,
  })),
);

describe("the imports of a source file", () => {
  it("are found in every form", () => {
    const text = `
      import fs from "node:fs";
      import { a } from "@shared/contract/a.ts";
      import type { B } from "types-only/deep";
      import "./side-effect.ts";
      import "side-effect";
      export { c } from "@scope/exported/deep";
      export * from "everything";
      const lazy = await import("lazy");
      const unknown = await import(\`./\${lazy}\`);
      // import "comment";
    `;
    expect(importedPackages("file.ts", text)).toEqual([
      "types-only",
      "side-effect",
      "@scope/exported",
      "everything",
      "lazy",
    ]);
  });
});

describe("package.json", () => {
  it("declares every package that a source file imports", () => {
    const declared = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.filter(({ name }) => !(name in declared))).toEqual([]);
  });

  it("has what server and worker import in production among its dependencies", () => {
    const production = imports.filter(({ file }) => PRODUCTION.test(file));
    expect(production.length).toBeGreaterThan(100);
    expect(production.filter(({ name }) => !(name in manifest.dependencies))).toEqual([]);
  });
});
