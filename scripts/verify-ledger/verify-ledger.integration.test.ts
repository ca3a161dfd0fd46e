import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { LedgerEntry } from "@shared/contract/ledger.ts";
import { openDatabase } from "@shared/database/database.ts";
import { appendToHeadFile, headFile, readLedgerHead } from "@shared/domain/ledger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { makeLedger } from "@shared/testing/ledger-factory.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { appendRecords } from "../../worker/src/record/append-records.ts";
import { projectRoot } from "../lib/prepare-project.mjs";
import { runVerifyLedger } from "./run-verify-ledger.ts";

const ENTRIES = makeLedger([
  { kind: "analysis", revealed: true },
  { kind: "analysis", revealed: true },
  { kind: "outcome", of: 1, outcome: "WIN" },
  { kind: "outcome", of: 2, outcome: "LOSS" },
  { kind: "analysis", revealed: false },
]);
const HEAD = ENTRIES[4]?.record;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "verify-ledger-"));
  vi.stubEnv("INIT_CWD", folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(entries: readonly LedgerEntry[], name = "ledger.ndjson"): string {
  writeFileSync(join(folder, name), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  return name;
}

async function verify(...args: string[]) {
  const lines: string[] = [];
  const signal = new AbortController().signal;
  const isIntact = await runVerifyLedger({ args, say: (line) => lines.push(line), signal });
  return { isIntact, text: lines.join("\n") };
}

describe("npm run verify-ledger", () => {
  it("finds a downloaded ledger intact and says what it adds up to", async () => {
    const { isIntact, text } = await verify(write(ENTRIES));
    expect(isIntact).toBe(true);
    expect(text).toContain("Intact: 5 records.");
    expect(text).toContain("Resolved: 2: 1 won, 1 lost, 0 expired.");
    expect(text).toContain(`Head 5:${HEAD?.hash}`);
  });

  it("names the first bad record", async () => {
    const { isIntact, text } = await verify(write(ENTRIES.toSpliced(2, 1)));
    expect(isIntact).toBe(false);
    expect(text).toContain("NOT INTACT: record 3 (line 3)");
    expect(text).toContain("[gap]");
  });

  it("notices that the end was cut off, against a head that was kept", async () => {
    const file = write(ENTRIES.slice(0, 4));
    expect((await verify(file)).isIntact).toBe(true);
    const { isIntact, text } = await verify(file, "--head", `5:${HEAD?.hash}`);
    expect(isIntact).toBe(false);
    expect(text).toContain("NOT INTACT: record 5");
    expect(text).toContain("[truncated]");
  });

  it("checks against a file of published heads, which may end in the middle of a line", async () => {
    const heads = join(folder, "heads.ndjson");
    writeFileSync(heads, '{"day":"2025-01-');
    const at = "2025-01-31T00:00:00.000Z";
    await appendToHeadFile(heads, [{ day: "2025-01-31", seq: 4, hash: "0".repeat(64), at }]);
    const { text } = await verify(write(ENTRIES), "--heads", "heads.ndjson");
    expect(text).toContain("NOT INTACT: record 4 (line 4)");
    expect(text).toContain("[head]");
  });

  it("verifies what an API offers at its address", async () => {
    const asked: (string | undefined)[] = [];
    const api = await startHttpFake(async (request, response) => {
      asked.push(request.url);
      const text = ENTRIES.map((entry) => JSON.stringify(entry)).join("\n");
      // In two parts that meet in the middle of a line, and without a newline at the end.
      response.write(text.slice(0, 1_001));
      response.end(text.slice(1_001));
    });
    expect(await verify(api.url)).toMatchObject({ isIntact: true });
    expect(asked).toEqual(["/ledger/download"]);
    await api.close();
    await expect(verify(api.url)).rejects.toThrow("does not answer");
  });

  it("verifies the product's own database against the heads that were published from here", async () => {
    const uri = testDatabaseUri();
    const database = await openDatabase({ uri });
    await createSignals(database, await createUser(database), { count: 3 });
    await appendRecords({ database, now: () => new Date() });
    const { seq, hash } = await readLedgerHead(database);
    const at = new Date().toISOString();
    await appendToHeadFile(headFile(folder), [{ day: at.slice(0, 10), seq, hash, at }]);
    vi.stubEnv("MONGODB_URI", uri);
    vi.stubEnv("DATA_DIR", folder);
    expect(await verify()).toMatchObject({ isIntact: true });

    await database.ledger.deleteOne({ _id: 3 });
    await database.ledgerHeads.deleteMany({});
    const { isIntact, text } = await verify();
    expect(isIntact).toBe(false);
    expect(text).toContain("[truncated]");
    await database.close();
  });

  it.each([
    [["missing.ndjson"], "cannot be read"],
    [["a.ndjson", "b.ndjson"], "Usage"],
    [["--head", "5"], "must be seq:hash"],
    [["--tail", "5"], "Usage"],
    [["--heads", "none.ndjson"], "There are no published heads"],
    [["--candles", "none.csv"], "cannot be read"],
    [["--candles", "candles.csv"], "must be named like BTC-USDT.1h.csv"],
  ])("refuses %j", async (args, reason) => {
    write([], "candles.csv");
    await expect(verify(...args)).rejects.toThrow(reason);
  });

  it("ends with an exit code that scripts can rely on", async () => {
    const run = async (name: string) => {
      const child = spawn(process.execPath, ["scripts/run.mjs", "verify-ledger", name], {
        cwd: projectRoot,
        env: { ...process.env, INIT_CWD: folder },
      });
      const [code] = await once(child, "exit");
      return code;
    };
    const codes = await Promise.all([
      run(write(ENTRIES)),
      run(write(ENTRIES.slice(1), "bad.ndjson")),
    ]);
    expect(codes).toEqual([0, 1]);
  });
});
