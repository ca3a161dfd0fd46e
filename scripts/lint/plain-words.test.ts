import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../lib/prepare-project.mjs";

/** For each of these there is a term of the field: publish, notify, show, crashed, started, again, no user, unknown. */
const FIGURATIVE =
  /(?<![\w@./+-])(tells?|told|hears?|heard|news|crowd|alive|dead|begun|anew|nobody|whoever|mend(s|ed)?|he)(?![\w-])/i;

/** Names say what a value is. */
const VAGUE_NAME = /\b(?:const|let) (?:made|asked|given|answered|told)\b/;

const EXCEPTIONS = [
  // A list of the world's domains.
  "worker/src/analysis/openai/top-level-domains.ts",
  "scripts/lint/plain-words.test.ts",
  "CHANGELOG.md",
  "docs/LICENSES.md",
];

const wordsIn = (text: string, words: RegExp): string[] =>
  text.split("\n").filter((line) => line.search(words) !== -1);

it.each(["The user is told why.", "// Nobody knows.", 'it("starts anew")'])("sees %s", (text) => {
  expect(wordsIn(text, FIGURATIVE)).toEqual([text]);
});

it.each(["keep-alive", "o'neil+news/a@example.com", "the other"])("lets pass %s", (text) => {
  expect(wordsIn(text, FIGURATIVE)).toEqual([]);
});

it("code and documents are written in plain words", () => {
  const { stdout } = spawnSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs", "*.md"], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  const files = stdout.split("\n").filter((file) => file !== "" && !EXCEPTIONS.includes(file));
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(projectRoot, file), "utf8");
    return wordsIn(text, FIGURATIVE).map((line) => `${file}: ${line.trim()}`);
  });
  expect(found).toEqual([]);
});

it("no value of the product is named made, asked, given, answered or told", () => {
  const { stdout } = spawnSync("git", ["ls-files", "client", "server", "worker", "shared"], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  const files = stdout
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\//.test(file));
  const found = files.filter((file) =>
    VAGUE_NAME.test(readFileSync(join(projectRoot, file), "utf8")),
  );
  expect(found).toEqual([]);
});
