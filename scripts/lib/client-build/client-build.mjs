// @ts-check
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { CliError } from "../cli.mjs";
import { runCommand } from "../commands.mjs";
import { hashFiles, readIfPresent } from "../files.mjs";
import { projectRoot } from "../prepare-project.mjs";
import { withLock } from "../process-lock.mjs";
import { writeScreenPages } from "./screen-pages.mjs";

/** Everything that the built pages depend on, besides the settings built into them. */
const SOURCES = [
  "client",
  "shared/contract",
  "scripts/lib/client-build/first-script.mjs",
  "scripts/lib/client-build/screen-pages.mjs",
  "vite.config.ts",
  "tsconfig.json",
  "package-lock.json",
];
const STAMP = ".build-stamp";

/** @typedef {import("../../../shared/runtime/settings.ts").Settings} Settings */

/** @param {Pick<Settings, "DATA_DIR">} settings */
export function clientFolder({ DATA_DIR }) {
  return join(DATA_DIR, "client");
}

/**
 * Builds the web pages into `DATA_DIR/client`, unless what is there was built from the same sources
 * and settings. A failed build leaves the former pages as they were.
 *
 * @param {object} options
 * @param {Pick<Settings, "DATA_DIR" | "VITE_API_URL" | "CLIENT_ORIGIN">} options.settings
 * @param {(line: string) => void} options.say
 * @param {AbortSignal} [options.signal]
 * @throws {CliError} if the build fails; its output says why
 */
export async function ensureClientBuild({ settings, say, signal }) {
  const folder = clientFolder(settings);
  const [origin] = settings.CLIENT_ORIGIN;
  const env = {
    ...process.env,
    VITE_API_URL: settings.VITE_API_URL,
    VITE_CLIENT_ORIGIN: origin && new URL(origin).origin,
  };
  if (isFresh(folder, buildStamp(env))) return;
  const build = async () => {
    const stamp = buildStamp(env);
    if (isFresh(folder, stamp)) return;
    say("Building the web pages ...");
    await buildInto({ folder, stamp, env, apiUrl: settings.VITE_API_URL, signal });
  };
  await withLock(`build ${folder}`, build, { signal });
}

/** @param {NodeJS.ProcessEnv} env */
function buildStamp(env) {
  const builtIn = Object.keys(env).filter((name) => name.startsWith("VITE_"));
  const texts = builtIn.sort().map((name) => `${name}=${env[name]}`);
  return hashFiles({ root: projectRoot, paths: SOURCES, texts });
}

/**
 * @param {string} folder
 * @param {string} stamp
 */
function isFresh(folder, stamp) {
  return readIfPresent(join(folder, STAMP)) === stamp;
}

/**
 * @param {object} options
 * @param {string} options.folder
 * @param {string} options.stamp
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string} options.apiUrl
 * @param {AbortSignal} [options.signal]
 */
async function buildInto({ folder, stamp, env, apiUrl, signal }) {
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  await runVite({ args: ["--outDir", draft], env, signal });
  const preRender = await buildPreRender({ outDir: `${draft}.pre-render`, env, signal });
  await writeScreenPages(draft, { apiUrl, preRender });
  await compressFiles(draft);
  writeFileSync(join(draft, STAMP), stamp);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

/**
 * The application built for Node, which renders its screens.
 *
 * @param {{ outDir: string, env: NodeJS.ProcessEnv, signal?: AbortSignal }} options
 * @returns {Promise<import("./screen-pages.mjs").PreRender>}
 */
async function buildPreRender({ outDir, env, signal }) {
  await runVite({ args: ["--ssr", "src/pre-render.tsx", "--outDir", outDir], env, signal });
  try {
    // Of this name each time, but not of this content; the second build of one process must not get the first.
    const file = pathToFileURL(join(outDir, "pre-render.mjs"));
    return await import(`${file.href}?${Date.now()}`);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

/** @param {{ args: string[], env: NodeJS.ProcessEnv, signal?: AbortSignal }} options */
async function runVite({ args, env, signal }) {
  const { code } = await runCommand({
    command: process.execPath,
    args: [
      join(projectRoot, "node_modules/vite/bin/vite.js"),
      ...["build", ...args, "--emptyOutDir", "--logLevel", "warn"],
    ],
    cwd: projectRoot,
    env: { ...env, NODE_ENV: "production" },
    output: "inherit",
    signal,
  });
  signal?.throwIfAborted();
  if (code !== 0) throw new CliError("The web pages could not be built; the reason is above.");
}

const TEXT_FILES = new Set([".css", ".html", ".js", ".json", ".svg", ".txt", ".webmanifest"]);

/** Below this a compressed copy saves no packet. */
const WORTHWHILE_BYTES = 1_024;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/**
 * Puts a `.br` and a `.gz` copy beside every text file, for the web host to send as they are.
 *
 * @param {string} folder
 */
export async function compressFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !TEXT_FILES.has(extname(entry.name))) continue;
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file);
    if (content.byteLength < WORTHWHILE_BYTES) continue;
    const [brotli, gzipped] = await Promise.all([toBrotli(content), toGzip(content)]);
    await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
  }
}
