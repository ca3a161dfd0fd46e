// @ts-check
import { tsImport } from "tsx/esm/api";

/**
 * The settings that all parts will see, `.env` included.
 *
 * @returns {Promise<import("../../shared/node/settings.ts").Settings>}
 * @throws SettingsError naming the first bad setting
 */
export async function readSettings() {
  /** @type {typeof import("../../shared/node/settings.ts")} */
  const { readDotEnv, loadSettings } = await tsImport(
    "../../shared/node/settings.ts",
    import.meta.url,
  );
  readDotEnv();
  return loadSettings();
}
