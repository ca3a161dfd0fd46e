// @ts-check
import process from "node:process";
import { checkNodeVersion } from "./check-node.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { projectRoot } from "./project-root.mjs";

/**
 * What every command needs first: a Node.js that is new enough, the project's folder as the current
 * one, and the packages.
 *
 * @param {AbortSignal} [signal]
 */
export async function prepareProject(signal) {
  checkNodeVersion();
  process.chdir(projectRoot);
  await ensureDependencies({ root: projectRoot, signal });
}
