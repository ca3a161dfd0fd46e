import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
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

async function sectionOf(title: string): Promise<string> {
  const text = await readFile(join(root, "docs/api.md"), "utf8");
  const [, body = ""] = text.split(`\n## ${title}\n`);
  return body.split("\n## ")[0] ?? "";
}

async function exampleOf(title: string): Promise<string> {
  const example = /```\w+\n([\s\S]*?)```/.exec(await sectionOf(title))?.[1];
  if (example === undefined) throw new Error(`No example of ${title}`);
  return example;
}

const OPENAPI_TYPESCRIPT = join(root, "node_modules/openapi-typescript/bin/cli.js");
const TSC = join(root, "node_modules/typescript/bin/tsc");
const DOCUMENTED_ADDRESS = "http://localhost:8000";
const COMPILER_OPTIONS = [
  ...["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--ignoreConfig"],
  ...["--module", "nodenext", "--target", "es2023", "--types", "node"],
];

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

  const writeExample = async (section: string) => {
    const file = join(folder, `${section.replaceAll(" ", "-")}.mts`);
    await writeFile(file, await exampleOf(section));
    return file;
  };
  const runTypeScript = async (section: string) => ["--import", "tsx", await writeExample(section)];
  /** Runs the command that writes the types, with the installed package instead of the newest. */
  const writeTypes = async () => {
    const command = /`npx openapi-typescript (.+)`/.exec(await sectionOf("TypeScript"))?.[1] ?? "";
    const args = command.replace(DOCUMENTED_ADDRESS, server.url).split(" ");
    const withCompiler = join(root, "server/src/testing/with-typescript-6.mjs");
    const tool = ["--import", pathToFileURL(withCompiler).href, OPENAPI_TYPESCRIPT];
    await run(process.execPath, [...tool, ...args], { cwd: folder });
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

  it("in TypeScript agree with the types that are written from the description", async () => {
    await writeTypes();
    const files = [await writeExample("TypeScript"), await writeExample("Live events")];
    const args = [TSC, ...COMPILER_OPTIONS, ...files];
    await run(process.execPath, args, { cwd: folder });
    const misuse = `
      import type { paths } from "./api.d.ts";
      export const day: paths["/me/followed"]["get"]["responses"]["200"]["content"]["application/json"]["trades"] = "1";`;
    await writeFile(join(folder, "misuse.mts"), misuse);
    const misused = [TSC, ...COMPILER_OPTIONS, "misuse.mts"];
    await expect(run(process.execPath, misused, { cwd: folder })).rejects.toMatchObject({
      stdout: expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    });
  }, 60_000);

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
