import { once } from "node:events";
import { mkdirSync, realpathSync, watch } from "node:fs";
import { join } from "node:path";
import { loadSettings, readDotEnv, type Settings } from "@shared/runtime/settings.ts";
import { CliError, type Command } from "../cli.ts";
import { ensureClientBuild } from "../client-build/client-build.ts";
import { announceDatabase, startEmbeddedMongo } from "../mongo/embedded-mongo.ts";
import { projectRoot } from "../prepare-project.mjs";
import { tryLock } from "../process-lock.mjs";
import { waitForFreePort, waitUntilReady } from "./ports.ts";
import { createService } from "./services.ts";
import type { SupervisedService } from "./supervised-service.ts";

const SERVICES = ["server", "worker", "client"] as const;

/** Runs database, server, worker and client until the signal aborts. Leaves no process behind. */
export async function main({ args, say, signal }: Command): Promise<void> {
  const isDev = args.includes("--dev");
  readDotEnv();
  const settings = loadSettings();
  const cleanUps = [await lockSingleRun(settings, signal)];
  try {
    let mongodbUri = settings.MONGODB_URI;
    if (!mongodbUri) {
      const database = await startEmbeddedMongo(settings.DATA_DIR, { say, signal });
      cleanUps.push(() => database.service.stop());
      mongodbUri = database.uri;
      cleanUps.push(announceDatabase(settings.DATA_DIR, mongodbUri));
    }
    if (!isDev) await ensureClientBuild(settings, { say, signal });
    const env = {
      ...process.env,
      MONGODB_URI: mongodbUri,
      DATA_DIR: settings.DATA_DIR,
      DEMO_RECORD: process.env.DEMO_RECORD || "on",
    };
    const services = SERVICES.map((name) => createService(name, env, { say, isDev }));
    for (const service of services) service.start();
    cleanUps.push(() => Promise.all(services.map((service) => service.stop())));
    await waitUntilReady({ addresses: readyAddresses(settings, isDev), services, signal });
    if (isDev) restartOnChange({ services, say, signal });
    say(startSummary(settings, { isPasswordGiven: Boolean(process.env.ADMIN_PASSWORD) }));
    await once(signal, "abort");
  } finally {
    if (signal.aborted) say("Stopping ...");
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  }
}

function readyAddresses({ API_PORT, CLIENT_PORT }: Settings, isDev: boolean): string[] {
  const page = isDev ? "" : "healthz";
  return [`http://localhost:${API_PORT}/readyz`, `http://localhost:${CLIENT_PORT}/${page}`];
}

/** Services of a launcher that was killed have exited within this time. */
const EXIT_TIMEOUT_MS = 6_000;

/** Ensures that no other run uses the data folder and that the ports are free. */
async function lockSingleRun(settings: Settings, signal: AbortSignal): Promise<() => unknown> {
  const { API_PORT, CLIENT_PORT, DATA_DIR } = settings;
  if (API_PORT === CLIENT_PORT) throw new CliError("CLIENT_PORT: must differ from API_PORT");
  mkdirSync(DATA_DIR, { recursive: true });
  const release = await tryLock(`run ${realpathSync(DATA_DIR)}`);
  const timeoutMs = release ? EXIT_TIMEOUT_MS : 0;
  try {
    for (const [name, port] of Object.entries({ API_PORT, CLIENT_PORT })) {
      if (await waitForFreePort(port, { timeoutMs, signal })) continue;
      throw new CliError(
        `Port ${port} is in use: it may be running already. Stop that one, or set ${name} to another port.`,
      );
    }
    if (release) return release;
  } catch (error) {
    await release?.();
    throw error;
  }
  throw new CliError(
    `It is running already with the data in ${DATA_DIR}. Stop that one, or set DATA_DIR to another folder.`,
  );
}

/** Editors write a file in several steps. */
const DEBOUNCE_MS = 200;

function restartOnChange(options: {
  services: readonly SupervisedService[];
  say: (line: string) => void;
  signal: AbortSignal;
}): void {
  const { services, say, signal } = options;
  for (const service of services.filter(({ name }) => name !== "client")) {
    let timer: NodeJS.Timeout | undefined;
    let restarting = Promise.resolve();
    const restart = async () => {
      if (signal.aborted) return;
      say(`The sources of the ${service.name} changed; restarting it.`);
      await service.restart();
    };
    for (const folder of [`${service.name}/src`, "shared"]) {
      const options = { recursive: true, persistent: false, signal };
      watch(join(projectRoot, folder), options, (_event, file) => {
        if (!file?.endsWith(".ts") || file.endsWith(".test.ts")) return;
        clearTimeout(timer);
        timer = setTimeout(() => {
          restarting = restarting.then(restart);
        }, DEBOUNCE_MS);
      });
    }
  }
}

/** The text printed after the start. The password is shown only if it was generated on this machine. */
export function startSummary(
  settings: Settings,
  { isPasswordGiven }: { isPasswordGiven: boolean },
): string {
  const { ADMIN_USERNAME, ADMIN_PASSWORD, API_PORT, CLIENT_PORT, DATA_DIR, NODE_ENV } = settings;
  const isShown = !isPasswordGiven && NODE_ENV !== "production";
  const password = isShown
    ? `password ${ADMIN_PASSWORD} (generated once, stored in ${join(DATA_DIR, "secrets.json")})`
    : "the password in ADMIN_PASSWORD";
  return `
  AI Trading Signals is ready.

  Web pages   http://localhost:${CLIENT_PORT}
  API         http://localhost:${API_PORT}
  Sign in     ${ADMIN_USERNAME} with ${password}

  Press Ctrl-C to stop.
`;
}
