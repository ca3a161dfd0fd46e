import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What a file allows one of its tests or waits to take, in seconds. */
const ALLOWED_SECONDS = /(?:timeout: |\}, )(\d+)_000\b/g;

function allowedSeconds({ moduleId }: TestSpecification): number {
  const source = readFileSync(moduleId, "utf8");
  const allowed = Array.from(source.matchAll(ALLOWED_SECONDS), ([, seconds]) => Number(seconds));
  return Math.max(0, ...allowed);
}

/**
 * Files whose tests may take longest run first: they mostly wait, and the processors would be idle if they ran at the end.
 * Vitest's own order does so only once it knows how long each has taken on this machine.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted
        .filter((file) => file.project === project)
        .map((file) => ({ file, seconds: allowedSeconds(file) }))
        .sort((a, b) => b.seconds - a.seconds)
        .map(({ file }) => file),
    );
  }
}
