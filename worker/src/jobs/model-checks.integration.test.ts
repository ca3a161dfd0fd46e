import { DAY_MS } from "@shared/contract/constants.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { modelServerId } from "../analysis/openai/model-server-store.ts";
import { patient } from "../testing/fakes.ts";
import { ModelChecks } from "./model-checks.ts";

let database: Database;
let openai: FakeOpenAi;
beforeAll(async () => {
  [database, openai] = await Promise.all([
    openDatabase({ uri: testDatabaseUri() }),
    startFakeOpenAi(),
  ]);
});
afterAll(() => Promise.all([database.close(), openai.close()]));

const lines: string[] = [];
const logger = createLogger({
  service: "worker",
  level: "warn",
  destination: { write: (line: string) => void lines.push(line) },
});
let nowMs = Date.UTC(2026, 10, 27);
beforeEach(async () => {
  openai.reset();
  lines.length = 0;
  await database.modelServers.deleteMany();
});

const newWorker = () =>
  new ModelChecks(
    { database, logger, now: () => new Date(nowMs) },
    loadWorkerSettings({
      OPENAI_API_KEY: "sk-test",
      OPENAI_BASE_URL: openai.baseUrl,
      OPENAI_MODEL: "test-model",
    }),
  );
const stored = () => database.modelServers.findOne().lean();
const UNKNOWN = "The server does not list OPENAI_MODEL=test-model. Check the name.";

it("the server is asked for its models at the start of a worker and daily, and a notice is logged once", async () => {
  const worker = newWorker();
  openai.listModels({ data: [{ id: "another" }] });
  await worker.run(patient());
  expect(await stored()).toMatchObject({ listing: { notices: [UNKNOWN] } });
  openai.listModels({ data: [{ id: "test-model" }] });
  nowMs += DAY_MS - 1;
  await worker.run(patient());
  expect((await stored())?.listing?.notices).toEqual([UNKNOWN]);
  await newWorker().run(patient());
  expect((await stored())?.listing?.notices).toEqual([]);
  openai.listModels({ data: [{ id: "another" }] });
  nowMs += DAY_MS;
  await worker.run(patient());
  expect((await stored())?.listing?.notices).toEqual([UNKNOWN]);
  expect(lines.filter((line) => line.includes("does not list"))).toHaveLength(1);
});

it("a server without a list is no fault", async () => {
  openai.listModels(null);
  await newWorker().run(patient());
  expect((await stored())?.listing?.notices).toEqual([]);
  expect(lines).toEqual([]);
});

it("a test that was asked for is made once", async () => {
  const worker = newWorker();
  await worker.run(patient());
  expect(openai.chats).toHaveLength(0);
  const { _id } = modelServerId({ baseUrl: openai.baseUrl, model: "test-model" });
  await database.modelServers.updateOne(
    { _id },
    { $set: { test: { requestedAt: new Date(nowMs) } } },
  );
  await worker.run(patient());
  expect((await stored())?.test?.result).toMatchObject({ is_usable: true, answers: 1 });
  await worker.run(patient());
  expect(openai.chats).toHaveLength(1);
  expect(await database.marketAnalyses.countDocuments()).toBe(0);
  expect(await database.signals.countDocuments()).toBe(0);
});
