import { setTimeout as delay } from "node:timers/promises";
import { chartPicture } from "@shared/testing/pictures.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertSound } from "./invariants/assert-sound.ts";
import { callApi } from "./stage/api.ts";
import { type CallKind, callsOfEveryKind } from "./stage/calls-of-every-kind.ts";
import { holdCommand } from "./stage/fail-point.ts";
import { namespaceOf } from "./stage/signal-places.ts";
import { type Stage, setStage } from "./stage/stage.ts";
import { until } from "./until.ts";

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
  let stage: Stage;
  let kinds: CallKind[];

  beforeAll(async () => {
    stage = await setStage();
    const trader = await stage.signUp({ credits: 10_000 });
    const picture = await chartPicture(1).png().toBuffer();
    kinds = callsOfEveryKind({ stage, trader, picture });
  });
  afterEach(() => assertSound(stage));
  afterAll(() => stage.close());

  const send = async (kind: CallKind): Promise<Answer> => {
    const sentAt = performance.now();
    const { status, headers } = await callApi({ via: stage.servers.a, ...kind.make() });
    const retryAfter = headers.get("Retry-After");
    return { kind, sentAt, status, retryAfter, tookMs: performance.now() - sentAt };
  };
  const wrongOnes = (answers: readonly Answer[]) =>
    answers
      .filter((answer) => !isExpected(answer) && !isProperRefusal(answer))
      .map(({ kind, ...answer }) => `${kind.name}: ${JSON.stringify(answer)}`);

  it("is killed and restarted again and again", async () => {
    const [mongod] = stage.mongo.members;
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

  it.each(["audit_entries", "events"])(
    "is killed in the middle of an administrator's change, at the insert into %s",
    async (collection) => {
      const kind = kinds.find(({ name }) => name.includes("grant-image-credits"));
      const [mongod] = stage.mongo.members;
      if (!kind || !mongod) throw new Error("the stage is incomplete");
      const point = await holdCommand(mongod, {
        commands: ["insert"],
        namespace: namespaceOf(collection),
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
