import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json";
import { projectRoot } from "../lib/prepare-project.mjs";

const FOLDERS = [".github", "client", "deploy", "docs", "e2e", "scripts", "server", "shared"];
const documents = [...readdirSync(projectRoot), ...[...FOLDERS, "worker"].flatMap(filesIn)].filter(
  (file) => file.endsWith(".md") && !file.includes("node_modules"),
);

const LINK = /\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g;
/** A path from the root of the project, in backticks. Patterns with `*` are left out. */
const PATH =
  /`((?:\.github|client|deploy|docs|e2e|scripts|server|shared|worker)\/[\w./@-]*[\w/])(?=`)/g;

function filesIn(folder: string): string[] {
  const files = readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" });
  return files.map((file) => `${folder}/${file.replaceAll("\\", "/")}`);
}

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");
const withoutCode = (text: string) => text.replaceAll(/^```.*?^```/gms, "");

/** Anchors of the headings of a document, as GitHub makes them. */
const anchorsOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

function brokenLinks(document: string): string[] {
  const text = withoutCode(read(document));
  return [...text.matchAll(LINK)].flatMap(([link, path = "", anchor]) => {
    const target = path === "" ? document : join(dirname(document), path);
    if (!existsSync(join(projectRoot, target))) return link;
    return anchor && !anchorsOf(read(target)).includes(anchor) ? link : [];
  });
}

const missingPaths = (document: string): string[] =>
  [...withoutCode(read(document)).matchAll(PATH)]
    .map(([, path = ""]) => path)
    .filter((path) => !existsSync(join(projectRoot, path)));

const COMMAND = /\bnpm run ([a-z][a-z:-]*)/g;

const unknownCommands = (document: string): string[] =>
  [...read(document).matchAll(COMMAND)]
    .map(([, name = ""]) => name)
    .filter((name) => !(name in packageJson.scripts));

describe.each(documents)("%s", (document) => {
  it("has no broken links", () => {
    expect(brokenLinks(document)).toEqual([]);
  });

  it("names no file that does not exist", () => {
    expect(missingPaths(document)).toEqual([]);
  });

  it("names no command that does not exist", () => {
    expect(unknownCommands(document)).toEqual([]);
  });
});

it("docs/settings.md lists every setting of .env.example", () => {
  const text = read(".env.example").replaceAll(/^#(?: example: )?(?=[A-Z_]+=)/gm, "");
  const listed = read("docs/settings.md");
  const missing = Object.keys(parseEnv(text)).filter((name) => !listed.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});
