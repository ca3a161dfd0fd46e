import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import type { PublishedHead } from "@shared/contract/ledger.ts";
import { appendToHeadFile, headFile, readHeadFile } from "@shared/domain/ledger.ts";
import {
  attestationsOf,
  parseOtsFile,
  parseTimestamp,
  replacePending,
  type TimestampProof,
  writeOtsFile,
} from "@shared/domain/opentimestamps.ts";
import { withDeadline } from "../deadline.ts";
import { fetchBody, type WholeRequest } from "../market-data/fetch-body.ts";
import type { Testimony, Witness } from "./ledger-heads.ts";

/** Limit of the reference implementation. */
const MAX_RESPONSE_BYTES = 10_000;

const TIMEOUT_MS = 10_000;

/** OpenTimestamps calendar. The stamped digest is the hash of the head. */
export function calendarWitness(
  url: string,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Witness {
  const ask = (path: string, request: Pick<WholeRequest, "init" | "abort">) =>
    fetchBody({
      provider: url,
      url: `${url}${path}`,
      init: { ...request.init, headers: { Accept: "application/vnd.opentimestamps.v1" } },
      abort: request.abort,
      limits: {
        headersTimeoutMs: timeoutMs,
        totalTimeoutMs: timeoutMs,
        maxBytes: MAX_RESPONSE_BYTES,
      },
      onAnswer: () => undefined,
    });
  return {
    kind: "opentimestamps",
    name: url,
    async submit({ hash }, abort) {
      const digest = Buffer.from(hash, "hex");
      const response = await ask("/digest", { init: { method: "POST", body: digest }, abort });
      const timestamp = parseTimestamp(await readBody(response, url), digest);
      return describe({ digest, timestamp }, url);
    },
    async complete(bytes, abort) {
      const { digest, timestamp } = parseOtsFile(bytes);
      const commitment = commitmentOf({ digest, timestamp }, url);
      const response = await ask(`/timestamp/${commitment.toString("hex")}`, { abort });
      if (response.status === 404) return null;
      const found = parseTimestamp(await readBody(response, url), commitment);
      const replaced = replacePending(timestamp, { uri: url, by: found });
      const testimony = describe({ digest, timestamp: replaced }, url);
      return testimony.status === "complete" ? testimony : null;
    },
  };
}

async function readBody(response: Response, url: string): Promise<Uint8Array> {
  if (!response.ok) throw new Error(`${url} responded with status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

function describe(proof: TimestampProof, url: string): Testimony {
  const file = writeOtsFile(proof);
  // A proof of valid parts may still be too long to be read.
  const attestations = attestationsOf(parseOtsFile(file));
  const blocks = attestations.flatMap(({ attestation }) =>
    attestation.kind === "bitcoin" ? [attestation.height] : [],
  );
  if (blocks.length > 0) {
    return { status: "complete", url, proof: file, bitcoinBlock: Math.min(...blocks) };
  }
  commitmentOf(proof, url);
  return { status: "pending", url, proof: file };
}

function commitmentOf(proof: TimestampProof, url: string): Buffer {
  const uris: string[] = [];
  for (const { attestation, message } of attestationsOf(proof)) {
    if (attestation.kind !== "pending") continue;
    if (attestation.uri === url) return message;
    uris.push(attestation.uri);
  }
  const named = uris.length > 0 ? `names ${uris.join(", ")}` : "names no calendar";
  throw new Error(`a proof of ${url} ${named}: LEDGER_CALENDARS has to name the same address`);
}

/** Posts each head as JSON. Any 2xx status counts as success. */
export function webhookWitness(
  url: string,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Witness {
  return {
    kind: "webhook",
    name: "webhook",
    async submit({ day, seq, hash, at }, abort) {
      const response = await withDeadline(abort, timeoutMs, (signal) =>
        fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ day, seq, hash, at }),
          redirect: "error",
          signal,
        }),
      );
      await response.body?.cancel();
      if (!response.ok) throw new Error(`the webhook responded with status ${response.status}`);
      return { status: "complete" };
    },
  };
}

const execFileAsync = promisify(execFile);

const GIT_TIMEOUT_MS = 60_000;

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
      cwd,
      env: GIT_ENV,
      signal: abort,
      timeout: GIT_TIMEOUT_MS,
    });
    return stdout.trim();
  } catch (error) {
    throw new Error(`git ${args[0]} failed`, { cause: error });
  }
}
