import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { multipartForm } from "@shared/testing/api-client.ts";
import { type ApiRequest, callApi } from "@shared/testing/call-api.ts";
import { TEST_PASSWORD } from "@shared/testing/factories.ts";
import { chartImage } from "@shared/testing/images.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness } from "./harness/harness.ts";
import { holdCommand } from "./harness/processes.ts";
import type { Trader } from "./harness/trader.ts";
import { until } from "./harness/until.ts";

/** One kind of call of the API. */
interface CallKind {
  name: string;
  /** Statuses that answer it while nothing is wrong. */
  expected: readonly number[];
  make: () => ApiRequest & { path: string };
}

const READS_OF_ANYONE = ["/status", "/performance", "/ledger", "/ledger/head", "/payment-details"];
const READS_OF_TRADERS = ["/me", "/signal-history"];
const READS_OF_ADMINS = [
  "/admin/list-users",
  "/admin/security-log",
  "/admin/health",
  "/admin/usage",
  "/admin/chart-images",
];

/** Reads, sign-ins, changes by administrators (each with an entry in the security log), uploads and signal requests. */
function callsOfEveryKind(options: {
  harness: FaultHarness;
  trader: Trader;
  image: Buffer;
}): CallKind[] {
  const { token } = options.trader;
  return [
    ...READS_OF_ANYONE.map((path) => read(path)),
    ...READS_OF_TRADERS.map((path) => read(path, token)),
    ...READS_OF_ADMINS.map((path) => read(path, options.harness.administrator.token)),
    ...signIns(options.trader),
    ...adminActions(options),
    ...uploadsAndSignals(options),
  ];
}

const read = (path: string, token?: string): CallKind => ({
  name: `GET ${path}`,
  expected: [200],
  make: () => ({ path, ...(token && { token }) }),
});

const post = (path: string, expected: number, make: () => ApiRequest): CallKind => ({
  name: `POST ${path}`,
  expected: [expected],
  make: () => ({ path, method: "POST", ...make() }),
});

function signIns({ username }: Trader): CallKind[] {
  const password = TEST_PASSWORD;
  const newcomer = () => {
    const name = `newcomer-${randomUUID().slice(0, 8)}`;
    return { username: name, email: `${name}@example.com`, password };
  };
  return [
    post("/login", 200, () => ({ body: { username, password } })),
    post("/register", 201, () => ({ body: newcomer() })),
  ];
}

function adminActions({ harness, trader }: { harness: FaultHarness; trader: Trader }): CallKind[] {
  const { token } = harness.administrator;
  const form = (fields: Record<string, string>) => () => ({ token, body: multipartForm(fields) });
  return [
    post(`/admin/grant-image-credits/${trader.username}`, 200, form({ credits: "1" })),
    post(`/admin/set-image-access/${trader.username}`, 200, form({ allow: "true" })),
    post("/admin/update-payment-details", 200, () => ({
      token,
      body: { bank_details: `IBAN ${randomUUID()}` },
    })),
  ];
}

function uploadsAndSignals({
  harness,
  trader,
  image,
}: {
  harness: FaultHarness;
  trader: Trader;
  image: Buffer;
}): CallKind[] {
  const { token } = trader;
  const headers = () => ({ "Idempotency-Key": randomUUID(), Prefer: "respond-async" });
  const proof = () => multipartForm({ sender_name: "Ann", proof_image: image });
  const imageForm = () => multipartForm({ ...harness.nextMarket(), chart_image: image });
  return [
    post("/submit-payment-proof", 201, () => ({ token, body: proof() })),
    post("/get-signal", 202, () => ({ token, headers: headers(), body: harness.nextMarket() })),
    post("/get-signal-with-image", 202, () => ({ token, headers: headers(), body: imageForm() })),
  ];
}

/** The API promises its 503 within that time. */
const REFUSED_WITHIN_MS = 10_000;
const RESTARTS = 2;
/** Between two calls of one client. */
const THINK_MS = 150;

interface Answer {
  kind: CallKind;
  sentAt: number;
  status: number;
  retryAfter: string | null;
  tookMs: number;
}

const isExpected = ({ kind, status }: Answer) => kind.expected.includes(status);
/** A 503 in time that says when to try again. */
const isProperRefusal = ({ status, retryAfter, tookMs }: Answer) =>
  status === 503 && /^[1-9]\d*$/.test(retryAfter ?? "") && tookMs < REFUSED_WITHIN_MS;

describe("requests of every kind get an answer or a 503 with Retry-After, never a 500, when the database", () => {
  let harness: FaultHarness;
  let kinds: CallKind[];

  beforeAll(async () => {
    harness = await startHarness();
    const trader = await harness.signUp({ credits: 10_000 });
    const image = await chartImage(1).png().toBuffer();
    kinds = callsOfEveryKind({ harness, trader, image });
  });
  afterEach(() => assertInvariants(harness));
  afterAll(() => harness.close());

  const send = async (kind: CallKind): Promise<Answer> => {
    const sentAt = performance.now();
    const { path, ...request } = kind.make();
    const { status, headers } = await callApi(harness.servers.a.url + path, request);
    const retryAfter = headers.get("Retry-After");
    return { kind, sentAt, status, retryAfter, tookMs: performance.now() - sentAt };
  };
  const wrongOnes = (answers: readonly Answer[]) =>
    answers
      .filter((answer) => !isExpected(answer) && !isProperRefusal(answer))
      .map(({ kind, ...answer }) => `${kind.name}: ${JSON.stringify(answer)}`);

  it("is killed and restarted again and again", async () => {
    const [mongod] = harness.mongo.members;
    const answers: Answer[] = [];
    const stop = new AbortController();
    const clients = kinds.map(async (kind) => {
      while (!stop.signal.aborted) {
        answers.push(await send(kind));
        await delay(THINK_MS);
      }
    });
    const untilEach = (what: string, holds: (answer: Answer) => boolean) => {
      const since = performance.now();
      const isSeen = (kind: CallKind) =>
        answers.some((answer) => answer.kind === kind && answer.sentAt > since && holds(answer));
      return until(() => kinds.every(isSeen), { what });
    };

    await untilEach("an answer to each kind of call", isExpected);
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      await mongod?.kill();
      await untilEach("a refusal of each kind of call", ({ status }) => status >= 500);
      await mongod?.start();
      await untilEach("an answer to each kind of call again", isExpected);
    }
    stop.abort();
    await Promise.all(clients);
    expect(wrongOnes(answers)).toEqual([]);
  });

  it.each(["security_log", "events"])(
    "is killed in the middle of an administrator's change, at the insert into %s",
    async (collection) => {
      const kind = kinds.find(({ name }) => name.includes("grant-image-credits"));
      const [mongod] = harness.mongo.members;
      if (!kind || !mongod) throw new Error("the replica set is empty");
      const point = await holdCommand(mongod, {
        command: "insert",
        collection,
        client: "server-a",
      });
      const answering = send(kind);
      await point.entered();
      await mongod.kill();
      const answer = await answering;
      await mongod.start();
      expect(wrongOnes([answer])).toEqual([]);
      await until(async () => isExpected(await send(kind)), { what: "the same change again" });
    },
  );
});
