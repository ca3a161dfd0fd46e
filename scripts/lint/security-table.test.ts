import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../lib/prepare-project.mjs";

const DOCUMENT = "docs/security.md";
const STATUSES = ["met", "exception", "not applicable", "not met"];
/** Chapters of which every requirement is met or does not apply. */
const COMPLETE_CHAPTERS = [3, 6, 7, 12, 13, 16];
const FOLDERS = ["client", "e2e", "scripts", "server", "shared", "worker"];
/** A test file, by the end of its path, with the titles of tests: `file` "title", "title". */
const TESTS = /`([\w./-]+\.(?:test\.tsx?|spec\.ts|suite\.ts))`((?:,? "[^"]+")*)/g;

const text = readFileSync(join(projectRoot, DOCUMENT), "utf8");

/** Rows of the table of requirements: numbers, requirement, status, why. */
const rows = text
  .split("\n")
  .filter((line) => /^\| \d+\.\d/.test(line))
  .map((line) => {
    const [numbers = "", requirement = "", status = "", why = ""] = line.slice(2, -2).split(" | ");
    return { numbers, requirement, status, why };
  });

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" }).map(
    (file) => `/${folder}/${file.replaceAll("\\", "/")}`,
  ),
);

const missingTests = (why: string): string[] =>
  [...why.matchAll(TESTS)].flatMap(([, file = "", titles = ""]) => {
    const [path, another] = files.filter((name) => name.endsWith(`/${file}`));
    if (path === undefined || another !== undefined) return [file];
    const source = readFileSync(join(projectRoot, path), "utf8").replaceAll('\\"', '"');
    const named = [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title);
    return named.filter((title) => !source.includes(title)).map((title) => `${file}: ${title}`);
  });

describe("the table of requirements", () => {
  it("has rows in order, each with a status and a reason", () => {
    expect(rows.length).toBeGreaterThan(150);
    for (const { status, why } of rows) {
      expect(STATUSES).toContain(status);
      expect(why).not.toBe("");
    }
    const first = rows.map(({ numbers }) => numbers.split(/[ ,–]/)[0] ?? "");
    const collator = new Intl.Collator("en", { numeric: true });
    expect(first).toEqual([...new Set(first)].toSorted(collator.compare));
  });

  it("meets every requirement of these chapters that applies", () => {
    const open = rows.filter(
      ({ numbers, status }) =>
        status === "not met" && COMPLETE_CHAPTERS.includes(Number(numbers.split(".")[0])),
    );
    expect(open).toEqual([]);
  });

  it("names no test that does not exist", () => {
    expect(text.match(TESTS)?.length).toBeGreaterThan(50);
    expect(missingTests(text)).toEqual([]);
  });
});
