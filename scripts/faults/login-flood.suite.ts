import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { freePort } from "@shared/testing/spawn-service.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { percentile } from "../bench/start-product.ts";
import { ReplicaSet, ServiceSlot } from "./harness/processes.ts";

const ATTEMPTS = 10_000;
const ADDRESSES = 1_000;
const IN_FLIGHT = 20;
/** Ten are free, and each further one waits twice as long as the last. */
const MAX_CHECKED = 20;
const MAX_P99_MS = 2_000;
const PROBE_INTERVAL_MS = 50;
const HOME = "198.51.100.1";
const SECRETS = {
  JWT_SECRET: "a secret of more than 32 characters",
  ADMIN_PASSWORD: TEST_PASSWORD,
};

let mongo: ReplicaSet;
let server: ServiceSlot;
let database: Database;
beforeAll(async () => {
  mongo = await ReplicaSet.launch(1);
  database = await openDatabase({ uri: mongo.uri("the-test") });
  server = new ServiceSlot({
    name: "server",
    kind: "server",
    env: {
      ...SECRETS,
      MONGODB_URI: mongo.uri("server"),
      API_PORT: String(await freePort()),
      TRUSTED_PROXIES: "1",
    },
  });
  await server.start();
});
afterAll(async () => {
  await server.kill();
  await database.close();
  await mongo.remove();
});

const signIn = async ({ username }: UserRecord, password: string, address: string) => {
  const headers = { "X-Forwarded-For": address };
  const body = { username, password };
  return (await callApi(`${server.url}/login`, { headers, body })).status;
};

/** The time of a request of somebody else, again and again until `work` is done. */
async function probeDuring(work: Promise<unknown>, user: UserRecord): Promise<number[]> {
  const tookMs: number[] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const token = signTokenFor(user, SECRETS);
  while (!isDone) {
    const sentAt = performance.now();
    expect((await callApi(`${server.url}/me`, { token })).status).toBe(200);
    tookMs.push(performance.now() - sentAt);
    await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS));
  }
  await done;
  return tookMs;
}

it(`${ATTEMPTS} guesses for one account from ${ADDRESSES} addresses: few passwords are checked, and no user waits`, async () => {
  const victim = await createUser(database);
  const other = await createUser(database);
  expect(await signIn(victim, TEST_PASSWORD, HOME)).toBe(200);
  const statuses = new Map<number, number>();
  let sent = 0;
  const guess = async () => {
    while (sent < ATTEMPTS) {
      const index = sent++;
      const address = `203.0.${(index % ADDRESSES) >> 8}.${index % 256}`;
      const status = await signIn(victim, `guess ${index}`, address);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const flood = Promise.all(Array.from({ length: IN_FLIGHT }, guess));
  const tookMs = await probeDuring(flood, other);
  const p99Ms = percentile(tookMs, 0.99);
  console.log({ statuses: Object.fromEntries(statuses), p99Ms });
  expect(statuses.get(401)).toBeLessThanOrEqual(MAX_CHECKED);
  expect(statuses.get(200)).toBeUndefined();
  expect(p99Ms).toBeLessThanOrEqual(MAX_P99_MS);
  expect(await signIn(victim, TEST_PASSWORD, "203.0.0.0")).toBe(429);
  expect(await signIn(victim, TEST_PASSWORD, HOME)).toBe(200);
});
