// @ts-check
import { resolve } from "node:path";
import process from "node:process";

/**
 * A file as it was typed: npm starts scripts in the project's folder, and remembers where it was called.
 *
 * @param {string} file
 */
export const resolveTyped = (file) => resolve(process.env.INIT_CWD ?? "", file);
