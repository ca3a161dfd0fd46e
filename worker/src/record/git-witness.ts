import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import type { PublishedHead } from "@shared/contract/ledger.ts";
import { appendToHeadFile, headFile, readHeadFile } from "@shared/domain/ledger.ts";
import type { Witness } from "./witness-heads.ts";

const execFileAsync = promisify(execFile);

const TIMEOUT_MS = 60_000;

const OPTIONS = [
  ["user.name", "AI Trading Signals"],
  ["user.email", "ledger@localhost"],
  // No passphrase prompt, and no changed bytes.
  ["commit.gpgSign", "false"],
  ["core.autocrlf", "false"],
].flatMap(([name, value]) => ["-c", `${name}=${value}`]);

const {
  // Set while a git hook runs, and would redirect git to its repository.
  GIT_DIR: _dir,
  GIT_WORK_TREE: _workTree,
  GIT_INDEX_FILE: _index,
  GIT_SSH_COMMAND = "ssh -o BatchMode=yes",
  ...inherited
} = env;
/** A command that needs a password fails instead of waiting. */
const GIT_ENV = { ...inherited, GIT_TERMINAL_PROMPT: "0", GIT_SSH_COMMAND };

/** Adds heads to `ledger-heads.ndjson` in a git repository. Clones it each time, so a crash leaves nothing behind. */
export function gitWitness(repository: string): Witness {
  const url = repository.startsWith("https://") ? repository : undefined;
  return {
    kind: "git",
    name: "git",
    async submit(head, abort) {
      const clone = await mkdtemp(join(tmpdir(), "ledger-witness-"));
      const git = (...args: string[]) => runGit(args, { cwd: clone, abort });
      try {
        await git("clone", "--quiet", "--depth=1", "--", repository, ".");
        if (await addLine(headFile(clone), head)) {
          await git("add", "--", headFile(clone));
          await git("commit", "--quiet", "--no-verify", `--message=Ledger head of ${head.day}`);
          await git("push", "--quiet", "origin", "HEAD");
        }
        return { status: "complete", commit: await git("rev-parse", "HEAD"), ...(url && { url }) };
      } finally {
        await rm(clone, { recursive: true, force: true });
      }
    },
  };
}

/** @returns false if the file has the head already */
async function addLine(file: string, head: PublishedHead): Promise<boolean> {
  const known = (await readHeadFile(file)).find(({ day }) => day === head.day);
  if (!known) await appendToHeadFile(file, [head]);
  if (known && (known.seq !== head.seq || known.hash !== head.hash)) {
    throw new Error(`the git repository has another head for ${head.day}`);
  }
  return known === undefined;
}

async function runGit(
  args: readonly string[],
  { cwd, abort }: { cwd: string; abort: AbortSignal },
): Promise<string> {
  try {
    const { stdout } = await execFileAsync("git", [...OPTIONS, ...args], {
      ...{ cwd, env: GIT_ENV, signal: abort, timeout: TIMEOUT_MS },
    });
    return stdout.trim();
  } catch (error) {
    throw new Error(`git ${args[0]} failed`, { cause: error });
  }
}
