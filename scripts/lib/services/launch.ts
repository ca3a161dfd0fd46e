import { once } from "node:events";
import { mkdirSync, realpathSync, watch } from "node:fs";
import { createServer, type ListenOptions } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadSettings, readDotEnv, type Settings } from "@shared/runtime/settings.ts";
import { ensureClientBuild } from "../../../client/build/client-build.ts";
import { CliError, type Command } from "../cli.ts";
import { announceDatabase, startEmbeddedMongo } from "../mongo/embedded-mongo.ts";
import { projectRoot } from "../prepare-project.mjs";
import { tryLock } from "../process-lock.mjs";
import type { SupervisedService } from "./supervised-service.ts";
import { createService } from "./supervised-service.ts";

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

export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen({ port })) && (await canListen({ port, host: "127.0.0.1" }));
}

async function waitForFreePort(
  port: number,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isPortFree(port))) {
    if (Date.now() >= deadline) return false;
    await sleep(200, undefined, { signal });
  }
  return true;
}

function canListen(where: ListenOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(where, () => server.close(() => resolve(true)));
  });
}

const POLL_INTERVAL_MS = 150;
const READY_TIMEOUT_MS = 120_000;

/** A service that exits this often in a row will not start by waiting longer. */
const MAX_FAILURES = 5;

/** Waits until every address answers with success. */
export async function waitUntilReady(options: {
  addresses: readonly string[];
  services: readonly { name: string; failures: number }[];
  signal: AbortSignal;
}): Promise<void> {
  const { addresses, services, signal } = options;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (const address of addresses) {
    while (!(await isAnswering(address))) {
      const broken = services.find(({ failures }) => failures >= MAX_FAILURES);
      if (broken) {
        throw new CliError(`The ${broken.name} does not start; its last lines above say why.`);
      }
      if (Date.now() > deadline) {
        throw new CliError(`No answer from ${address} in ${READY_TIMEOUT_MS / 1_000} s.`);
      }
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
    }
  }
}

async function isAnswering(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
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
