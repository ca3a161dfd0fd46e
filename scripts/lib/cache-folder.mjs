// @ts-check
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Where downloads are kept for all clones of this user.
 *
 * @param {NodeJS.ProcessEnv} [env]
 */
export function cacheFolder(env = process.env) {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ai-trading-signals");
}
