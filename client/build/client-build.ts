import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { loadWorkerSettings, readDotEnv, type WorkerSettings } from "@shared/runtime/settings.ts";
import { CliError, type Command } from "../../scripts/lib/cli.ts";
import { projectRoot } from "../../scripts/lib/prepare-project.mjs";
import { withLock } from "../../scripts/lib/process-lock.mjs";
import { packageBin, runCommand } from "../../scripts/lib/run-command.ts";
import { writeScreenPages } from "./screen-pages.ts";
import { listOfflineFiles } from "./standalone-scripts.ts";
import { caddySnippet } from "./web-headers.ts";

/** All that the built pages depend on, besides the settings built into them. */
const SOURCES = [
  "client",
  "shared/contract",
  "vite.config.ts",
  "tsconfig.json",
  "package-lock.json",
];
const STAMP = ".build-stamp";

/** Also writes what the web host adds to the pages, for Caddy. */
export async function main(command: Command): Promise<void> {
  readDotEnv();
  const settings = loadWorkerSettings();
  await ensureClientBuild(settings, command);
  writeFileSync(join(settings.DATA_DIR, "headers.caddy"), caddySnippet(settings));
  command.say(`The web pages are in ${clientFolder(settings)}.`);
}

export function clientFolder({ DATA_DIR }: Pick<WorkerSettings, "DATA_DIR">): string {
  return join(DATA_DIR, "client");
}

/** Builds the web pages unless they are fresh. A failed build leaves the former pages as they were. */
export async function ensureClientBuild(
  settings: WorkerSettings,
  { say, signal }: Pick<Command, "say" | "signal">,
): Promise<void> {
  const folder = clientFolder(settings);
  const [origin] = settings.CLIENT_ORIGIN;
  const env = {
    ...process.env,
    NODE_ENV: "production",
    VITE_API_URL: settings.VITE_API_URL,
    VITE_CLIENT_ORIGIN: origin && new URL(origin).origin,
  };
  const stamp = buildStamp(env);
  const isFresh = () =>
    existsSync(join(folder, STAMP)) && readFileSync(join(folder, STAMP), "utf8") === stamp;
  if (isFresh()) return;
  const build = async () => {
    if (isFresh()) return;
    say("Building the web pages ...");
    const draft = `${folder}.draft`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    await runVite(["--outDir", draft], env, signal);
    const ssrFolder = `${draft}.pre-render`;
    await runVite(["--ssr", "src/pre-render.tsx", "--outDir", ssrFolder], env, signal);
    // The query keeps a second build in one process from getting the module of the first.
    const ssrModule = `${pathToFileURL(join(ssrFolder, "pre-render.mjs")).href}?${Date.now()}`;
    await writeScreenPages(draft, settings.VITE_API_URL, await import(ssrModule));
    rmSync(ssrFolder, { recursive: true, force: true });
    listOfflineFiles(draft);
    await compressFiles(draft);
    writeFileSync(join(draft, STAMP), stamp);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  };
  await withLock(`build ${folder}`, build, { signal });
}

function buildStamp(env: NodeJS.ProcessEnv): string {
  const builtIn = Object.keys(env).filter((name) => name.startsWith("VITE_"));
  const texts = builtIn.sort().map((name) => `${name}=${env[name]}`);
  return hashFiles(projectRoot, SOURCES, texts);
}

/** One hash of the names and contents of files and folders below a root, and of further texts. Missing files count as empty. */
export function hashFiles(
  root: string,
  paths: readonly string[],
  texts: readonly string[] = [],
): string {
  const hash = createHash("sha256");
  for (const file of paths.flatMap((path) => listFiles(join(root, path)))) {
    hash.update(`${relative(root, file)}\0`);
    hash.update(readFileSync(file)).update("\0");
  }
  for (const text of texts) hash.update(`${text}\0`);
  return hash.digest("hex");
}

function listFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => !/(^|[\\/])(node_modules|dist)([\\/]|$)/.test(name))
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}

async function runVite(args: string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const { code } = await runCommand({
    command: process.execPath,
    args: [packageBin("vite"), "build", ...args, "--emptyOutDir", "--logLevel", "warn"],
    cwd: projectRoot,
    env,
    output: "inherit",
    signal,
  });
  signal.throwIfAborted();
  if (code !== 0) throw new CliError("The web pages could not be built; the reason is above.");
}

const TEXT_FILES = new Set([".css", ".html", ".js", ".json", ".svg", ".txt", ".webmanifest"]);

/** Compressing a smaller file saves no packet. */
const MIN_COMPRESSED_BYTES = 1_024;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Writes a `.br` and a `.gz` copy of every text file, which the web host sends as they are. */
export async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !TEXT_FILES.has(extname(entry.name))) continue;
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file);
    if (content.byteLength < MIN_COMPRESSED_BYTES) continue;
    await writeFile(`${file}.br`, await toBrotli(content));
    await writeFile(`${file}.gz`, await toGzip(content));
  }
}
