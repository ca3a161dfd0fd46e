import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf, resolveImport } from "../../lint/import-boundaries.ts";
import { projectRoot } from "../prepare-project.mjs";
import { runCommand } from "../run-command.ts";

/** Puts the features together: what imports it knows all of them, and is tested by a whole run. */
const COMPOSITION =
  /^client\/src\/(app\/|main\.tsx)|^server\/src\/(app|create-deps|start-server|main)\.ts$|^worker\/src\/(start-worker|main|jobs\/job-definitions)\.ts$/;

/** The folder of a feature, whose tests use it through the whole application. */
const FEATURE = /^(client\/src\/features|server\/src\/modules|worker\/src)\/[^/]+\//;

const TEST = /\.test\.tsx?$/;

/** They read all files. */
const LINT_TEST = /^scripts\/lint\/.*\.test\.ts$/;

/** Decides about all files, and is imported by none. */
const CONFIGURATION = /(^|\/)(package(-lock)?|tsconfig)\.json$|\.config\.ts$/;

/**
 * The tests of the changed files: those that import one, directly or not, but not through what puts the features together,
 * and all of a changed feature.
 * @param imports files of the project, and what each imports
 */
export function testsOf(
  changed: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
): string[] {
  const importers = new Map<string, string[]>();
  for (const [file, targets] of imports) {
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  }
  const affected = new Set(changed);
  for (const file of affected) {
    if (COMPOSITION.test(file) && !changed.includes(file)) continue;
    for (const importer of importers.get(file) ?? []) affected.add(importer);
  }
  const features = changed.flatMap((file) => FEATURE.exec(file)?.[0] ?? []);
  return [...imports.keys()].filter(
    (file) =>
      TEST.test(file) &&
      (affected.has(file) ||
        LINT_TEST.test(file) ||
        features.some((feature) => file.startsWith(feature))),
  );
}

export interface Changes {
  /** Changed and new files. */
  files: string[];
  /** Their tests. */
  tests: string[];
}

/** What differs from the last commit; undefined if that may concern all files. */
export async function findChanges(): Promise<Changes | undefined> {
  const [tracked, others] = await Promise.all([
    git(["diff", "--name-only", "HEAD"]),
    git(["ls-files", "--others", "--exclude-standard"]),
  ]);
  const sources = await git(["ls-files", "*.ts", "*.tsx", "*.mjs"]);
  if (!tracked || !others || !sources) return;
  const changed = [...tracked, ...others];
  if (changed.some((file) => CONFIGURATION.test(file))) return;
  const isPresent = (file: string) => existsSync(join(projectRoot, file));
  const known = [...sources, ...others.filter((file) => /\.(tsx?|mjs)$/.test(file))];
  const imports = known.filter(isPresent).map((file): [string, string[]] => {
    const imported = importsOf(readFileSync(join(projectRoot, file), "utf8"));
    return [file, imported.map((specifier) => resolveImport(file, specifier))];
  });
  return { files: changed.filter(isPresent), tests: testsOf(changed, new Map(imports)) };
}

/** The lines that git prints; undefined if it cannot. */
async function git(args: readonly string[]): Promise<string[] | undefined> {
  const { code, stdout } = await runCommand({ command: "git", args, cwd: projectRoot });
  return code === 0 ? stdout.split("\n").filter((line) => line !== "") : undefined;
}
