// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { CliError } from "../cli.mjs";
import { projectRoot } from "../prepare-project.mjs";
import { pickFreePort, waitUntilReady } from "../services/ports.mjs";

/** @typedef {Awaited<ReturnType<typeof startDemoProduct>>} DemoProduct */

/**
 * The whole product as `npm start` runs it, on free ports, with recorded candles and the built-in analyst.
 *
 * @param {object} options
 * @param {string} options.dataDir keeps the built pages for the next time
 * @param {string} [options.mongodbUri] a database of the caller's; otherwise one in the folder
 * @param {AbortSignal} options.signal
 * @throws {CliError} if it does not start
 */
export async function startDemoProduct({ dataDir, mongodbUri = "", signal }) {
  const apiPort = await pickFreePort();
  const clientPort = await pickFreePort();
  const admin = { username: "admin", password: "demo-product-admin" };
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    cwd: projectRoot,
    env: {
      ...process.env,
      API_PORT: String(apiPort),
      CLIENT_PORT: String(clientPort),
      VITE_API_URL: "",
      CLIENT_ORIGIN: "",
      MONGODB_URI: mongodbUri,
      DATA_DIR: dataDir,
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
      MARKET_DATA: "replay",
      OPENAI_API_KEY: "",
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const part = { name: "product", failures: 0 };
  child.once("exit", () => {
    part.failures = Number.POSITIVE_INFINITY;
  });
  const api = `http://localhost:${apiPort}`;
  const pages = `http://localhost:${clientPort}`;
  const stop = async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  try {
    const addresses = [`${api}/readyz`, `${pages}/healthz`];
    await waitUntilReady({ addresses, parts: [part], signal });
  } catch (error) {
    await stop();
    throw new CliError("The product did not start; the reason is above.", { cause: error });
  }
  return { api, pages, admin, stop };
}
