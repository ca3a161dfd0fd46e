// @ts-check
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * All programs of these names on the search path, in the order a shell would find them.
 *
 * @param {readonly string[]} names
 * @param {string} [searchPath] as in `PATH`
 * @returns {string[]} absolute paths
 */
export function findExecutables(names, searchPath = process.env.PATH ?? "") {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== "");
  const suffixes = process.platform === "win32" ? [".exe"] : [""];
  const candidates = names.flatMap((name) =>
    folders.flatMap((folder) => suffixes.map((suffix) => join(folder, name + suffix))),
  );
  return candidates.filter(isExecutable);
}

/** @param {string} file */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
