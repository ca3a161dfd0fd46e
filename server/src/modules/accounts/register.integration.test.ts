import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

/**
 * Two servers whose modules share nothing, as if they were two processes: their registrations collide in the
 * database.
 */
describe("registrations at the same time on two servers", () => {
  let servers: TestServer[];
  beforeAll(async () => {
    const databaseUri = testDatabaseUri();
    const first = await startTestServer({ databaseUri });
    vi.resetModules();
    const other = await import("../../testing/start-test-server.ts");
    servers = [first, await other.startTestServer({ databaseUri })];
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  const registerAll = async (requests: { username: string; email: string }[]) => {
    const answers = await Promise.all(
      servers.flatMap((server) =>
        requests.map(async (request) => {
          const json = { ...request, password: "secret-1" };
          const answer = await server.call("/register", { json });
          return { status: answer.status, code: (await answer.json()).code };
        }),
      ),
    );
    return answers.sort((one, other) => one.status - other.status);
  };
  const countOf = async (filter: { usernameKey: string } | { emailKey: string }) => {
    const [database] = servers.map((server) => server.database);
    return database?.users.countDocuments(filter);
  };

  it.each([1, 2, 3, 4, 5])("of one name make one user (round %i)", async (round) => {
    const name = `twin-${round}`;
    const answers = await registerAll([
      { username: name, email: `${name}-a@example.com` },
      { username: name.toUpperCase(), email: `${name}-a@example.com` },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 409, 409]);
    expect(new Set(answers.slice(1).map(({ code }) => code))).toEqual(
      new Set(["auth/username-already-in-use"]),
    );
    expect(await countOf({ usernameKey: name })).toBe(1);
  });

  it("of one address make one user", async () => {
    const answers = await registerAll([
      { username: "one", email: "shared@example.com" },
      { username: "two", email: "Shared@example.com" },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 409, 409]);
    expect(await countOf({ emailKey: "shared@example.com" })).toBe(1);
  });

  it("of one international address, written in two ways, make one user", async () => {
    const answers = await registerAll([
      { username: "nine", email: "ann@bücher.example" },
      { username: "ten", email: " Ann@XN--bcher-kva.example " },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 409, 409]);
    expect(await countOf({ emailKey: "ann@xn--bcher-kva.example" })).toBe(1);
  });

  it("of different names all succeed, with events without a gap", async () => {
    const [first, second] = servers;
    const names = Array.from({ length: 10 }, (_, index) => `group-${index}`);
    const answers = await Promise.all(
      names.map((username, index) =>
        (index % 2 === 0 ? first : second)?.call("/register", {
          json: { username, email: `${username}@example.com`, password: "secret-1" },
        }),
      ),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(names.map(() => 201));
    const events = await first?.database.events.find({ stream: ADMINS_STREAM }).sort({ seq: 1 });
    const users = await first?.database.users.countDocuments();
    expect(events?.map(({ seq }) => seq)).toEqual(
      Array.from({ length: users ?? 0 }, (_, index) => index + 1),
    );
  });
});
