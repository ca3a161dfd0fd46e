import { spawn } from "node:child_process";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, constants as os, setPriority } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** Runs a command to its end. If it cannot be started, `code` is null and `stderr` says why. */
export function runCommand(options: {
  command: string;
  args?: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  shell?: boolean;
  /** `inherit` shows the output instead of returning it. */
  output?: "pipe" | "inherit";
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Leaves the processors to programs that others wait for. */
  isBackground?: boolean;
}): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { command, args = [], output = "pipe", timeoutMs: timeout, ...others } = options;
  return new Promise((resolve) => {
    const result = { stdout: "", stderr: "" };
    const child = spawn(command, args, {
      ...others,
      timeout,
      stdio: ["ignore", output, output],
    });
    if (options.isBackground && child.pid) setPriority(child.pid, os.priority.PRIORITY_LOW);
    child.stdout?.on("data", (chunk) => {
      result.stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      result.stderr += chunk;
    });
    child.on("error", (error) => resolve({ ...result, code: null, stderr: error.message }));
    child.on("close", (code) => resolve({ ...result, code }));
  });
}

/** Absolute paths of all programs with these names, in the order in which a shell would find them. */
export function findExecutables(
  names: readonly string[],
  searchPath = process.env.PATH ?? "",
): string[] {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== "");
  const suffix = process.platform === "win32" ? ".exe" : "";
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name + suffix)))
    .filter(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

const { resolve: resolvePackage } = createRequire(import.meta.url);

/**
 * The script of an installed package's command, to be run with Node.js: on Windows, the files in `node_modules/.bin` are
 * shell scripts, which cannot be spawned.
 * @param command by default the package's name without its scope
 */
export function packageBin(
  packageName: string,
  command = packageName.slice(packageName.indexOf("/") + 1),
): string {
  const manifest = resolvePackage(`${packageName}/package.json`);
  const { bin }: { bin: string | Record<string, string> } = JSON.parse(
    readFileSync(manifest, "utf8"),
  );
  const script = typeof bin === "string" ? bin : bin[command];
  if (!script) throw new Error(`${packageName} has no command ${command}`);
  return join(dirname(manifest), script);
}

/** Folder for downloads, shared by all clones of this user. */
export function cacheFolder(env = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ai-trading-signals");
}
