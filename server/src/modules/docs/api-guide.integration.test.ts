import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { API_KEY_SCOPES, createdApiKeySchema } from "@shared/contract/api-keys.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, listSymbols, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

const root = join(import.meta.dirname, "../../../..");
const run = promisify(execFile);

/** The examples of a section, by their language. */
async function exampleOf(section: string): Promise<string> {
  const text = await readFile(join(root, "docs/api.md"), "utf8");
  const [, body = ""] = text.split(`\n## ${section}\n`);
  const example = /```\w+\n([\s\S]*?)```/.exec(body.split("\n## ")[0] ?? "")?.[1];
  if (example === undefined) throw new Error(`No example of ${section}`);
  return example;
}

describe("the examples of docs/api.md", () => {
  let server: LiveServer;
  let user: UserRecord;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let listening: ChildProcess | undefined;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
    await listSymbols(server.database);
    user = await createUser(server.database, { approved: true });
    // Where packages of the project are found.
    folder = await mkdtemp(join(root, "node_modules", ".api-guide-"));
    const { body } = await callApi(`${server.url}/me/api-keys`, {
      token: signTokenFor(user, server.settings),
      body: { name: "Guide", scopes: API_KEY_SCOPES },
    });
    env = { ...process.env, API: server.url, KEY: createdApiKeySchema.parse(body).key };
  });
  afterAll(async () => {
    listening?.kill();
    await rm(folder, { recursive: true });
    await server.stop();
  });

  const runTypeScript = async (section: string) => {
    const file = join(folder, `${section.replaceAll(" ", "-")}.mts`);
    await writeFile(file, await exampleOf(section));
    return ["--import", "tsx", file];
  };

  it("in curl request a signal and read the history", async () => {
    const { stdout } = await run("bash", ["-euc", await exampleOf("curl")], { env });
    expect(stdout).toContain(`"username":"${user.username}"`);
    expect(stdout).toContain('"status":"queued"');
    expect(stdout).toContain('"signals":[');
  });

  it("in TypeScript list the history", async () => {
    await createSignals(server.database, user);
    const args = await runTypeScript("TypeScript");
    const { stdout } = await run(process.execPath, args, { env, cwd: root });
    expect(stdout).toBe("BTC/USDT WAIT PENDING\n");
  });

  it("in Python request a signal and read it", async () => {
    const { stdout } = await run("python3", ["-c", await exampleOf("Python")], { env });
    expect(stdout).toMatch(/^[0-9a-f]{24} queued\n$/);
  });

  it("of live events get what was missed, and what comes", async () => {
    const addEvent = () =>
      commit(server.database, { lockKeys: userStream(user._id) }, (uow) =>
        uow.addEvent(userStream(user._id), "history:cleared", {}),
      );
    await addEvent();
    const args = await runTypeScript("Live events");
    let output = "";
    listening = spawn(process.execPath, args, { env, cwd: root });
    listening.stdout?.on("data", (text) => {
      output += String(text);
    });
    const count = () => output.split("history:cleared").length - 1;
    await vi.waitFor(() => expect(count()).toBe(1), { timeout: 30_000, interval: 50 });
    await addEvent();
    await vi.waitFor(() => expect(count()).toBe(2), { timeout: 10_000, interval: 50 });
  }, 60_000);
});
