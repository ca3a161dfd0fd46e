import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startEmbeddedMongo } from "./embedded-mongo.ts";

let dataDir = "";
const stops: (() => Promise<void>)[] = [];

async function start() {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const started = await startEmbeddedMongo(dataDir, {
    signal,
    say: (line) => void lines.push(line),
  });
  stops.push(() => started.service.stop());
  return { ...started, lines };
}

/** Adds a document with the acknowledgement of the replica set, and returns the number of documents. */
async function addNote(uri: string): Promise<number> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2_000 });
  try {
    const notes = client.db().collection("notes");
    await notes.insertOne({}, { writeConcern: { w: "majority" } });
    return await notes.countDocuments();
  } finally {
    await client.close();
  }
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  rmSync(dataDir, { recursive: true });
});

describe("the embedded database", () => {
  it("keeps its data when it is started again on another port", async () => {
    const first = await start();
    expect(await addNote(first.uri)).toBe(1);
    await first.service.stop();
    const second = await start();
    expect(second.uri).not.toBe(first.uri);
    expect(await addNote(second.uri)).toBe(2);
  });

  it("comes back at the same address with its data after a crash", async () => {
    const { uri, service, lines } = await start();
    expect(await addNote(uri)).toBe(1);
    process.kill(service.pid ?? Number.NaN, "SIGKILL");
    await vi.waitFor(async () => expect(await addNote(uri)).toBeGreaterThan(1), {
      timeout: 30_000,
      interval: 100,
    });
    expect(lines).toEqual(["The database stopped (SIGKILL); starting it again in 0.5 s."]);
  });

  it("says in one line why it cannot start", async () => {
    writeFileSync(join(dataDir, "mongo"), "a file where the folder should be");
    await expect(start()).rejects.toThrow("EEXIST");
  });
});
