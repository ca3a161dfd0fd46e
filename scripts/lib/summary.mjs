// @ts-check
import { join } from "node:path";

/**
 * What somebody who has just started the product needs to know. The password is shown only if this
 * machine made it.
 *
 * @param {import("../../shared/node/settings.ts").Settings} settings
 * @param {{ isPasswordGiven: boolean }} options
 */
export function startSummary(settings, { isPasswordGiven }) {
  const { ADMIN_USERNAME, ADMIN_PASSWORD, API_PORT, CLIENT_PORT, DATA_DIR, NODE_ENV } = settings;
  const isShown = !isPasswordGiven && NODE_ENV !== "production";
  const password = isShown
    ? `password ${ADMIN_PASSWORD} (made here once, kept in ${join(DATA_DIR, "secrets.json")})`
    : "the password in ADMIN_PASSWORD";
  return [
    "",
    "  AI Trading Signals is ready.",
    "",
    `  Web pages   http://localhost:${CLIENT_PORT}`,
    `  API         http://localhost:${API_PORT}`,
    `  Sign in     ${ADMIN_USERNAME} with ${password}`,
    "",
    "  Ctrl-C stops it.",
    "",
  ].join("\n");
}
