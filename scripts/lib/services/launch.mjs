// @ts-check
import { once } from "node:events";
import { mkdirSync, realpathSync, watch } from "node:fs";
import { join } from "node:path";
import { CliError } from "../cli.mjs";
import { ensureClientBuild } from "../client-build/client-build.mjs";
import { announceDatabase, startEmbeddedMongo } from "../mongo/embedded-mongo.mjs";
import { projectRoot } from "../prepare-project.mjs";
import { tryLock } from "../process-lock.mjs";
import { isPortFree, waitForFreePort, waitUntilReady } from "./ports.mjs";
import { createService, readSettings } from "./services.mjs";

/** @typedef {import("./supervised-service.mjs").SupervisedService} SupervisedService */
/** @typedef {import("../../../shared/runtime/settings.ts").Settings} Settings */

/**
 * All processes that run; `concealDatabase` takes back where the database listens.
 *
 * @typedef {{ database?: SupervisedService, concealDatabase?: () => void, parts: SupervisedService[] }} Crew
 */

/** @param {string} line */
const say = (line) => console.log(line);

/**
 * Runs the whole product until the signal aborts: database, server, worker and client, each started
 * again if it ends. Leaves no process behind.
 *
 * @param {object} options
 * @param {boolean} options.isDev the client from its sources, and parts restarted when theirs change
 * @param {AbortSignal} options.signal
 * @param {Crew} options.crew filled with the processes as they are started
 */
export async function launch({ isDev, signal, crew }) {
  const settings = await readSettings();
  const release = await lockSingleRun(settings, signal);
  try {
    const mongodbUri = await prepare({ settings, isDev, signal, crew });
    startParts({ settings, mongodbUri, isDev, crew });
    await waitUntilReady({ addresses: readyAddresses(settings, isDev), parts: crew.parts, signal });
    if (isDev) restartOnChange({ parts: crew.parts, say, signal });
    say(startSummary(settings, { isPasswordGiven: Boolean(process.env.ADMIN_PASSWORD) }));
    await once(signal, "abort");
  } finally {
    if (signal.aborted) say("Stopping ...");
    await Promise.all(crew.parts.map((part) => part.stop()));
    crew.concealDatabase?.();
    await crew.database?.stop();
    await release();
  }
}

/**
 * Database and built client, made at the same time.
 *
 * @param {{ settings: Settings, isDev: boolean, signal: AbortSignal, crew: Crew }} options
 * @returns {Promise<string>} the address of the database
 */
async function prepare({ settings, isDev, signal, crew }) {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const work = [
    findDatabase({ settings, signal: either, crew }),
    isDev ? undefined : ensureClientBuild({ settings, say, signal: either }),
  ];
  try {
    const [mongodbUri] = await Promise.all(work);
    return mongodbUri ?? "";
  } catch (error) {
    failure.abort();
    await Promise.allSettled(work);
    throw error;
  }
}

/** @param {{ settings: Settings, signal: AbortSignal, crew: Crew }} options */
async function findDatabase({ settings, signal, crew }) {
  if (settings.MONGODB_URI) return settings.MONGODB_URI;
  const { uri, part } = await startEmbeddedMongo({ dataDir: settings.DATA_DIR, say, signal });
  crew.database = part;
  crew.concealDatabase = announceDatabase(settings.DATA_DIR, uri);
  return uri;
}

/** @param {{ settings: Settings, mongodbUri: string, isDev: boolean, crew: Crew }} options */
function startParts({ settings, mongodbUri, isDev, crew }) {
  const env = { ...process.env, MONGODB_URI: mongodbUri, DATA_DIR: settings.DATA_DIR };
  crew.parts = [
    createService({ name: "server", env, say }),
    createService({ name: "worker", env, say }),
    createService({ name: "client", extraArguments: isDev ? ["--dev"] : [], env, say }),
  ];
  for (const part of crew.parts) part.start();
}

/**
 * @param {Settings} settings
 * @param {boolean} isDev
 */
function readyAddresses({ API_PORT, CLIENT_PORT }, isDev) {
  const page = isDev ? "" : "healthz";
  return [`http://localhost:${API_PORT}/readyz`, `http://localhost:${CLIENT_PORT}/${page}`];
}

/** Parts of a launcher that was killed are gone within this time. */
const LEAVING_MS = 6_000;

/** @typedef {{ API_PORT: number, CLIENT_PORT: number, DATA_DIR: string }} Claim */

/**
 * Makes sure that this is the only one running with its data folder and that its ports are free.
 *
 * @param {Claim} claim
 * @param {AbortSignal} signal
 * @returns {Promise<() => Promise<void>>} gives the data folder back
 * @throws {CliError} saying what is taken
 */
export async function lockSingleRun(claim, signal) {
  if (claim.API_PORT === claim.CLIENT_PORT) {
    throw new CliError("CLIENT_PORT: must differ from API_PORT");
  }
  mkdirSync(claim.DATA_DIR, { recursive: true });
  const release = await tryLock(`run ${realpathSync(claim.DATA_DIR)}`);
  const timeoutMs = release ? LEAVING_MS : 0;
  const taken = await findTakenPort(claim, { timeoutMs, signal });
  if (release && !taken) return release;
  await release?.();
  throw new CliError(taken ? portMessage(taken) : folderMessage(claim.DATA_DIR));
}

/**
 * @param {Claim} claim
 * @param {{ timeoutMs: number, signal: AbortSignal }} options
 */
async function findTakenPort({ API_PORT, CLIENT_PORT }, options) {
  const ports = Object.entries({ API_PORT, CLIENT_PORT });
  for (const [name, port] of ports) {
    if (!(await waitForFreePort(port, options))) return { name, port };
  }
  // The first may have been taken while the second was waited for.
  return (await isPortFree(API_PORT)) ? undefined : { name: "API_PORT", port: API_PORT };
}

/** @param {{ name: string, port: number }} taken */
function portMessage({ name, port }) {
  return `Port ${port} is in use: it may be running already. Stop that one, or set ${name} to another port.`;
}

/** @param {string} folder */
function folderMessage(folder) {
  return `It is running already with the data in ${folder}. Stop that one, or set DATA_DIR to another folder.`;
}

/** Editors write a file in several steps; this is how long they may take. */
const SETTLE_MS = 200;

/** What a part is made of; a change elsewhere does not concern it. The client reloads by itself. */
const SOURCES = new Map([
  ["server", ["server/src", "shared"]],
  ["worker", ["worker/src", "shared"]],
]);

/**
 * Restarts the parts whose sources change.
 *
 * @param {{ parts: readonly SupervisedService[], say: (line: string) => void, signal: AbortSignal }} options
 */
export function restartOnChange({ parts, say, signal }) {
  for (const part of parts) {
    const requestRestart = oneAtATime(async () => {
      if (signal.aborted) return;
      say(`The sources of the ${part.name} changed; restarting it.`);
      await part.restart();
    });
    for (const folder of SOURCES.get(part.name) ?? []) {
      const watched = join(projectRoot, folder);
      watch(watched, { recursive: true, persistent: false, signal }, (_event, file) => {
        if (isSource(file)) requestRestart();
      });
    }
  }
}

/** @param {string | null} file */
function isSource(file) {
  return Boolean(file?.endsWith(".ts") && !file.endsWith(".test.ts"));
}

/**
 * Collects requests while they settle, and while the work of an earlier one is still going on.
 *
 * @param {() => Promise<void>} work
 * @returns {() => void}
 */
function oneAtATime(work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let running = Promise.resolve();
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(work);
    }, SETTLE_MS);
  };
}

/**
 * What somebody who has just started the product needs to know. The password is shown only if this
 * machine made it.
 *
 * @param {import("../../../shared/runtime/settings.ts").Settings} settings
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
