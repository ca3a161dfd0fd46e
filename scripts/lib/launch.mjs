// @ts-check
import { once } from "node:events";
import { claimMachine } from "./claim-machine.mjs";
import { ensureClientBuild } from "./client-build.mjs";
import { announceDatabase } from "./database-address.mjs";
import { startEmbeddedMongo } from "./embedded-mongo.mjs";
import { createPart } from "./parts.mjs";
import { readSettings } from "./read-settings.mjs";
import { restartOnChange } from "./restart-on-change.mjs";
import { startSummary } from "./summary.mjs";
import { waitUntilReady } from "./wait-until-ready.mjs";

/** @typedef {import("./supervised-part.mjs").SupervisedPart} SupervisedPart */
/** @typedef {import("../../shared/node/settings.ts").Settings} Settings */

/**
 * All processes that run; `concealDatabase` takes back where the database listens.
 *
 * @typedef {{ database?: SupervisedPart, concealDatabase?: () => void, parts: SupervisedPart[] }} Crew
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
  const release = await claimMachine(settings, signal);
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
    createPart({ name: "server", env, say }),
    createPart({ name: "worker", env, say }),
    createPart({ name: "client", extraArguments: isDev ? ["--dev"] : [], env, say }),
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
