import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { startTestServer, type TestServer } from "../../server/src/testing/start-test-server.ts";
import { npmCommand } from "../lib/prepare-project.mjs";
import { withLock } from "../lib/process-lock.mjs";
import { cacheFolder, runCommand } from "../lib/run-command.ts";
import { waitUntilReady } from "../lib/services/launch.ts";

const NEW_PASSWORD = "a new password";
/** A project with this prefix needs no account. */
const PROJECT = "demo-trading-signals";
const STOP_TIMEOUT_MS = 10_000;
const mailsSchema = z.object({
  oobCodes: z.array(z.object({ email: z.string(), requestType: z.string(), oobCode: z.string() })),
});

let emulator: Emulator;
let server: TestServer;
beforeAll(async () => {
  emulator = await startAuthEmulator();
  server = await startTestServer({
    databaseUri: newDatabaseUri("auth-emulator"),
    environment: {
      IDENTITY_PROVIDER: "firebase",
      FIREBASE_API_KEY: "any-key-will-do",
      FIREBASE_AUTH_URL: `${emulator.url}/identitytoolkit.googleapis.com`,
      RATE_LIMIT: "off",
    },
  });
});
afterAll(async () => {
  await server.stop();
  await emulator.stop();
});

const post = async (path: string, json: unknown, token?: string) => {
  const answer = await server.call(path, { json, token });
  return { status: answer.status, body: await answer.json() };
};
let lastPerson = 0;
const newPerson = () => {
  const username = `person-${++lastPerson}`;
  return { username, email: `Person-${lastPerson}@Example.com`, password: TEST_PASSWORD };
};
type Person = ReturnType<typeof newPerson>;
const register = async () => {
  const person = newPerson();
  const { status, body } = await post("/register", person);
  expect(status).toBe(201);
  return { ...person, token: String(body.token) };
};
const logIn = async ({ username }: Person, password: string) => {
  const { status, body } = await post("/login", { username, password });
  return { status, token: String(body.token) };
};
const meStatus = async (token: string) => (await server.call("/me", { token })).status;
const isVerified = async (token: string) =>
  (await (await server.call("/me", { token })).json()).email_verified;
const codeFor = async ({ email }: Person, requestType: string) => {
  const url = `${emulator.url}/emulator/v1/projects/${PROJECT}/oobCodes`;
  const { oobCodes } = mailsSchema.parse(await (await fetch(url)).json());
  const isWanted = (mail: { email: string; requestType: string }) =>
    mail.email === email.toLowerCase() && mail.requestType === requestType;
  return oobCodes.findLast(isWanted)?.oobCode;
};

it("agree on registration and login", async () => {
  const person = await register();
  expect((await logIn(person, TEST_PASSWORD)).status).toBe(200);
  expect((await logIn(person, "wrong password")).status).toBe(401);
  expect((await post("/login", { username: "unknown", password: "wrong" })).status).toBe(401);
});

it("agree on the confirmation of an address, by our page and by Firebase's own", async () => {
  const person = await register();
  const first = await codeFor(person, "VERIFY_EMAIL");
  expect((await post("/resend-verification", {}, person.token)).status).toBe(200);
  const token = await codeFor(person, "VERIFY_EMAIL");
  expect(token).not.toBe(first);
  expect((await post("/verify-email", { token })).status).toBe(200);
  expect(await isVerified(person.token)).toBe(true);
  expect((await post("/verify-email", { token })).body.code).toBe("invalid-token");

  const other = await register();
  const oobCode = await codeFor(other, "VERIFY_EMAIL");
  await fetch(
    `${emulator.url}/emulator/action?mode=verifyEmail&lang=en&oobCode=${oobCode}&apiKey=x`,
  );
  const { token: session } = await logIn(other, TEST_PASSWORD);
  expect(await isVerified(session)).toBe(true);
});

it("agree on a password that is reset", async () => {
  const person = await register();
  for (const email of [person.email, "unknown@example.com"]) {
    expect((await post("/forgot-password", { email })).status).toBe(200);
  }
  await server.deps.background.settled();
  expect(server.logLines.join()).not.toContain("sending a password reset failed");
  const token = await codeFor(person, "PASSWORD_RESET");
  const reset = { token, new_password: NEW_PASSWORD };
  expect((await post("/reset-password", reset)).status).toBe(200);
  expect(await meStatus(person.token)).toBe(401);
  expect((await logIn(person, TEST_PASSWORD)).status).toBe(401);
  const session = await logIn(person, NEW_PASSWORD);
  expect((await logIn(person, NEW_PASSWORD)).status).toBe(200);
  expect(await meStatus(session.token)).toBe(200);
  expect((await post("/reset-password", reset)).body.code).toBe("invalid-token");
});

it("agree on a password that is reset on Firebase's own page", async () => {
  const person = await register();
  await post("/forgot-password", { email: person.email });
  await server.deps.background.settled();
  const oobCode = await codeFor(person, "PASSWORD_RESET");
  const query = `mode=resetPassword&lang=en&oobCode=${oobCode}&apiKey=x&newPassword=${NEW_PASSWORD}`;
  await fetch(`${emulator.url}/emulator/action?${query}`);
  const session = await logIn(person, NEW_PASSWORD);
  expect(session.status).toBe(200);
  expect([await meStatus(person.token), await meStatus(session.token)]).toEqual([401, 200]);
});

it("agree on a password that is changed", async () => {
  const person = await register();
  const elsewhere = await logIn(person, TEST_PASSWORD);
  const change = (current: string) =>
    post(
      "/change-password",
      { current_password: current, new_password: NEW_PASSWORD },
      person.token,
    );
  expect((await change("wrong password")).body.code).toBe("wrong-password");
  expect((await change(TEST_PASSWORD)).status).toBe(200);
  expect([await meStatus(person.token), await meStatus(elsewhere.token)]).toEqual([200, 401]);
  expect((await logIn(person, NEW_PASSWORD)).status).toBe(200);
  expect(await meStatus(person.token)).toBe(200);
});

it("agree on the deletion of a user, whose address is free afterwards", async () => {
  const person = await register();
  const admin = await createUser(server.database, { role: "admin", approved: true });
  const token = signTokenFor(admin, server.deps.settings);
  expect((await post(`/admin/delete-user/${person.username}`, {}, token)).status).toBe(200);
  const again = { ...person, password: "another password" };
  expect((await post("/register", again)).status).toBe(201);
});

it("agree on an account that only Firebase has", async () => {
  const person = newPerson();
  const { email, password } = person;
  await fetch(
    `${emulator.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any-key-will-do`,
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email, password }),
    },
  );
  const stranger = await post("/register", { ...person, password: "another password" });
  expect(stranger).toMatchObject({ status: 409, body: { code: "EMAIL_EXISTS" } });
  expect((await post("/register", person)).status).toBe(201);
});

interface Emulator {
  url: string;
  stop: () => Promise<void>;
}

async function startAuthEmulator(): Promise<Emulator> {
  const program = await ensureFirebaseTools();
  const folder = mkdtempSync(join(tmpdir(), "auth-emulator-"));
  const host = "127.0.0.1";
  const port = await freePort();
  const emulators = {
    auth: { host, port },
    hub: { host, port: await freePort() },
    logging: { host, port: await freePort() },
    ui: { enabled: false },
  };
  writeFileSync(join(folder, "firebase.json"), JSON.stringify({ emulators }));
  const args = [program, "emulators:start", "--only", "auth", "--project", PROJECT];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const emulator = { name: "emulator", failures: 0 };
  const exited = once(child, "exit").then(() => {
    emulator.failures = Number.POSITIVE_INFINITY;
  });
  const url = `http://${host}:${port}`;
  const stop = async () => {
    child.kill("SIGINT");
    const killTimer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(killTimer);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady({
      addresses: [url],
      services: [emulator],
      signal: new AbortController().signal,
    });
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Fixed, so that the emulator changes only on purpose. */
const VERSION = "15.34.2";

/** Path of Firebase's command line tools. They are installed on first use: 240 MB, too much for the project's packages. */
async function ensureFirebaseTools(): Promise<string> {
  const folder = join(cacheFolder(), `firebase-tools-${VERSION}`);
  const program = join(folder, "node_modules", "firebase-tools", "lib", "bin", "firebase.js");
  if (existsSync(program)) return program;
  return withLock(folder, async () => {
    if (existsSync(program)) return program;
    console.log(`Installing firebase-tools ${VERSION} (only once) ...`);
    // In another folder until it is complete.
    const draft = `${folder}.part`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    const { code } = await runCommand({
      ...npmCommand(["install", "--prefix", draft, ...flags, `firebase-tools@${VERSION}`]),
      cwd: draft,
      output: "inherit",
    });
    if (code !== 0) throw new Error("firebase-tools could not be installed; npm says why above.");
    renameSync(draft, folder);
    return program;
  });
}
