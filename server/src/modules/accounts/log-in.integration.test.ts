import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const NEW_PASSWORD = "a new password";

describe("a login at the moment when the password becomes another", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());

  /** Logs in with `password`, while the password is changed just before or just after it is looked at. */
  const logInAround = async (moment: "before" | "after", password: string) => {
    const user = await createUser(server.database);
    const changeNow = async () => {
      const json = { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD };
      const token = signTokenFor(user, server.deps.settings);
      expect((await server.call("/change-password", { json, token })).status).toBe(200);
    };
    const { identity } = server.deps;
    const verify = identity.verifyPassword.bind(identity);
    vi.spyOn(identity, "verifyPassword").mockImplementationOnce(async (attempt) => {
      if (moment === "before") await changeNow();
      const account = await verify(attempt);
      if (moment === "after") await changeNow();
      return account;
    });
    return server.call("/login", { json: { username: user.username, password } });
  };

  it("gets no session by the old password", async () => {
    expect((await logInAround("after", TEST_PASSWORD)).status).toBe(401);
  });

  it("gets a session that lasts by the new one", async () => {
    const answer = await logInAround("before", NEW_PASSWORD);
    expect(answer.status).toBe(200);
    const { token } = await answer.json();
    expect((await server.call("/me", { token })).status).toBe(200);
  });
});
