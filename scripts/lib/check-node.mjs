// @ts-check
import { PlainError } from "./plain-error.mjs";

const LOWEST = { major: 20, minor: 19 };

/**
 * @param {string} version as in `process.versions.node`
 * @throws {PlainError} if the version is older than the project runs on
 */
export function checkNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > LOWEST.major || (major === LOWEST.major && minor >= LOWEST.minor)) return;
  throw new PlainError(
    `Node.js ${LOWEST.major}.${LOWEST.minor} or newer is needed, and this is ${version}. Install it from https://nodejs.org and run the command again.`,
  );
}
