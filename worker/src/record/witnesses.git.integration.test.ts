import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitWitness } from "./witnesses.ts";

const head = {
  day: "2025-01-31",
  seq: 12,
  hash: "ab".repeat(32),
  at: "2025-01-31T00:00:00.000Z",
};
const line = `${JSON.stringify(head)}\n`;
const next = { ...head, day: "2025-02-01", seq: 15 };

describe("a git repository as a witness", () => {
  let folder: string;
  let repository: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "git-witness-"));
    repository = join(folder, "heads.git");
    execFileSync("git", ["init", "--quiet", "--bare", repository]);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const git = (...args: string[]) =>
    execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" });
  const submit = (given = head) =>
    gitWitness(repository).submit(given, new AbortController().signal);
  const file = () => git("show", "HEAD:ledger-heads.ndjson");
  const refusePushes = () => {
    const hook = join(repository, "hooks", "pre-receive");
    writeFileSync(hook, "#!/bin/sh\necho the branch is protected >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    return () => rmSync(hook);
  };

  it("gets one line and one commit for each head, from the first one on", async () => {
    const first = await submit();
    expect(first).toEqual({ status: "complete", commit: git("rev-parse", "HEAD").trim() });
    expect(file()).toBe(line);
    const second = await submit(next);
    expect(file()).toBe(`${line}${JSON.stringify(next)}\n`);
    expect(git("log", "--format=%H %s").trim().split("\n")).toEqual([
      `${second.commit} Ledger head of 2025-02-01`,
      `${first.commit} Ledger head of 2025-01-31`,
    ]);
  });

  it("gets no second line if a worker crashed before it stored the receipt", async () => {
    const { commit } = await submit();
    expect(await submit()).toEqual({ status: "complete", commit });
    expect(file()).toBe(line);
  });

  it("gets no line twice from two workers at the same moment", async () => {
    await submit();
    const results = await Promise.allSettled([submit(next), submit(next)]);
    expect(results.map(({ status }) => status)).toContain("fulfilled");
    await submit(next);
    expect(file()).toBe(`${line}${JSON.stringify(next)}\n`);
  });

  it("that refuses the push fails, and gets the head the next time", async () => {
    const accept = refusePushes();
    await expect(submit()).rejects.toMatchObject({
      message: "git push failed",
      cause: { stderr: expect.stringContaining("the branch is protected") },
    });
    accept();
    await submit();
    expect(file()).toBe(line);
  });

  it("keeps a head that the operator would rewrite", async () => {
    await submit();
    await expect(submit({ ...head, hash: "cd".repeat(32) })).rejects.toThrow(
      "the git repository has another head for 2025-01-31",
    );
    expect(file()).toBe(line);
  });

  it("that is not there fails", async () => {
    const nowhere = gitWitness(join(folder, "nowhere.git"));
    await expect(nowhere.submit(head, new AbortController().signal)).rejects.toThrow(
      "git clone failed",
    );
  });
});
