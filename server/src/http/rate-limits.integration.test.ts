import { type Database, openDatabase } from "@shared/database/database.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { startDatabaseRelay } from "@shared/testing/failing-database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { answerOk, captureLog, serve } from "../testing/start-test-server.ts";
import type { AppMiddleware } from "./context.ts";
import { handleErrors } from "./handle-errors.ts";
import { type RateLimitRule, rateLimit } from "./rate-limits.ts";
import { requestId } from "./request-log.ts";

const settings = loadSettings({
  JWT_SECRET: "a secret of tests, longer than 32 characters",
  ADMIN_PASSWORD: "never used",
});
const keyOf: RateLimitRule["key"] = (ctx) => ctx.get("X-Key");

/** Answers 401 to those who ask for it, 422 and 500 likewise. */
const obey: AppMiddleware = (ctx) => {
  const wish = ctx.get("X-Wish");
  if (wish === "wrong") throw new AppError("invalid-credentials", "Wrong.");
  if (wish === "invalid") throw new AppError("invalid-input", "Invalid.");
  if (wish === "broken") throw new Error("broken");
  ctx.body = "ok";
};

describe("rateLimit", () => {
  let databases: Database[];
  const uri = testDatabaseUri();
  beforeAll(async () => {
    databases = [await openDatabase({ uri }), await openDatabase({ uri })];
  });
  afterAll(() => Promise.all(databases.map((database) => database.close())));

  let lastRule = 0;
  const ruleOf = (fields: Partial<RateLimitRule> = {}): RateLimitRule => ({
    name: `rule-${++lastRule}`,
    points: 3,
    durationSeconds: 60,
    key: keyOf,
    ...fields,
  });

  /** One server for each database connection, and a function that asks the first of them or another. */
  const serveLimited = async (rule: RateLimitRule, options: { off?: boolean } = {}) => {
    const limits = { ...settings, RATE_LIMIT: options.off ? ("off" as const) : ("on" as const) };
    const servers = await Promise.all(
      databases.map((database) => {
        const limit = rateLimit({ database, settings: limits }, rule);
        return serve(requestId(captureLog().logger), handleErrors, limit, obey);
      }),
    );
    onTestFinished(() => {
      for (const server of servers) server.close();
    });
    return (key: string, { wish = "", at = 0 } = {}) =>
      fetch(servers[at]?.url ?? "", { headers: { "X-Key": key, "X-Wish": wish } });
  };
  const statusesOf = async (calls: (() => Promise<Response>)[]) => {
    const statuses = [];
    for (const call of calls) statuses.push((await call()).status);
    return statuses;
  };

  it("refuses what is over the limit, in the contract's shape, and says when to come back", async () => {
    const ask = await serveLimited(ruleOf());
    const calls = Array.from({ length: 3 }, () => () => ask("ann"));
    expect(await statusesOf(calls)).toEqual([200, 200, 200]);
    const refused = await ask("ann");
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("Retry-After"));
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await refused.json()).toEqual({
      detail: `Too many requests. Please try again in ${seconds} seconds.`,
      code: "rate-limited",
      request_id: refused.headers.get("X-Request-Id"),
    });
  });

  it("counts each key for itself", async () => {
    const ask = await serveLimited(ruleOf({ points: 1 }));
    expect(await statusesOf([() => ask("ann"), () => ask("ann"), () => ask("bob")])).toEqual([
      200, 429, 200,
    ]);
  });

  it("counts each rule for itself", async () => {
    const one = await serveLimited(ruleOf({ points: 1 }));
    const other = await serveLimited(ruleOf({ points: 1 }));
    expect(await statusesOf([() => one("ann"), () => other("ann")])).toEqual([200, 200]);
  });

  it("does not take one pair of parts for another", async () => {
    const ask = await serveLimited(
      ruleOf({ points: 1, key: (ctx) => ctx.get("X-Key").split("+") }),
    );
    expect(await statusesOf([() => ask("a,+b"), () => ask("a+,b")])).toEqual([200, 200]);
  });

  it("is shared by all servers", async () => {
    const ask = await serveLimited(ruleOf());
    const calls = Array.from({ length: 4 }, (_, index) => () => ask("ann", { at: index % 2 }));
    expect(await statusesOf(calls)).toEqual([200, 200, 200, 429]);
    expect((await ask("ann", { at: 0 })).status).toBe(429);
  });

  it("lets no more pass when all come at once, at two servers", async () => {
    const ask = await serveLimited(ruleOf());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ask("ann", { at: index % 2 })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(17);
  });

  it("lets pass again when the period is over, after at least the whole second that it named", async () => {
    const ask = await serveLimited(ruleOf({ points: 1, durationSeconds: 1 }));
    await ask("ann");
    const refused = await ask("ann");
    expect(refused.headers.get("Retry-After")).toBe("1");
    await vi.waitFor(async () => expect((await ask("ann")).status).toBe(200), {
      timeout: 5_000,
      interval: 100,
    });
  });

  describe("where only wrong passwords count", () => {
    const rule = () => ruleOf({ counts: (outcome) => outcome === "invalid-credentials" });

    it("leaves those alone who are right", async () => {
      const ask = await serveLimited(rule());
      const calls = Array.from({ length: 8 }, () => () => ask("ann"));
      expect(new Set(await statusesOf(calls))).toEqual(new Set([200]));
    });

    it("does not count what was no attempt", async () => {
      const ask = await serveLimited(rule());
      const calls = Array.from({ length: 8 }, () => () => ask("ann", { wish: "invalid" }));
      expect(new Set(await statusesOf(calls))).toEqual(new Set([422]));
    });

    it("refuses even the right one after too many wrong ones", async () => {
      const ask = await serveLimited(rule());
      const wrong = () => ask("ann", { wish: "wrong" });
      const right = () => ask("ann");
      expect(await statusesOf([wrong, right, wrong, right, wrong, right, wrong])).toEqual([
        401, 200, 401, 200, 401, 429, 429,
      ]);
    });

    it("lets no more guesses pass when all come at once", async () => {
      const ask = await serveLimited(rule());
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => ask("ann", { wish: "wrong", at: index % 2 })),
      );
      expect(answers.filter((answer) => answer.status === 401).length).toBeLessThanOrEqual(3);
      expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
    });

    it("still answers failures of its own as such", async () => {
      const ask = await serveLimited(rule());
      expect((await ask("ann", { wish: "broken" })).status).toBe(500);
    });
  });

  it("lets everything pass when it is off", async () => {
    const ask = await serveLimited(ruleOf({ points: 1 }), { off: true });
    const calls = Array.from({ length: 5 }, () => () => ask("ann"));
    expect(new Set(await statusesOf(calls))).toEqual(new Set([200]));
  });

  it("keeps no name and no address, and forgets by itself", async () => {
    const rule = ruleOf();
    const ask = await serveLimited(rule);
    await ask("ann@example.com");
    const [database] = databases;
    await vi.waitFor(
      async () => {
        const stored = await database?.rateLimits
          .find({ key: new RegExp(`^${rule.name}:`) })
          .lean();
        expect(stored).toMatchObject([{ points: 1, expire: expect.any(Date) }]);
        expect(JSON.stringify(stored)).not.toContain("ann@example");
      },
      { timeout: 30_000 },
    );
    const indexes = await database?.rateLimits.listIndexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expire: 1 }, expireAfterSeconds: 0 }),
    );
  });

  it("is not unlimited while the database is away, but unavailable", async () => {
    const { relay, uri } = await startDatabaseRelay(testDatabaseUri());
    const database = await openDatabase({ uri });
    const limit = rateLimit({ database, settings }, ruleOf());
    const server = await serve(requestId(captureLog().logger), handleErrors, limit, answerOk);
    onTestFinished(async () => {
      server.close();
      await database.close();
    });
    expect((await fetch(server.url)).status).toBe(200);
    await relay.cut();
    const answer = await fetch(server.url);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);
    await relay.restore();
    await vi.waitFor(async () => expect((await fetch(server.url)).status).toBe(200), {
      timeout: 10_000,
    });
  });
});
