import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { describeBrowser } from "../../lib/describe-browser.ts";
import { makeMe } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { AccountPage } from "./account-page.tsx";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1";

const session = (overrides: object) => ({
  id: "11111111-1111-4111-8111-111111111111",
  created_at: "2026-11-20T12:00:00.000Z",
  last_seen_at: "2026-11-20T12:00:00.000Z",
  user_agent: FIREFOX,
  current: true,
  ...overrides,
});
const other = session({
  id: "22222222-2222-4222-8222-222222222222",
  user_agent: SAFARI,
  current: false,
});

describe("sessions", () => {
  test("are listed, and another one can be ended", async () => {
    api.reply("GET /me/sessions", { sessions: [session({}), other] });
    const { user } = openPart(<AccountPage />, {});
    await screen.findByText("Firefox on Linux");
    await screen.findByText("This session");
    api.replyText(`DELETE /me/sessions/${other.id}`, "");
    api.reply("GET /me/sessions", { sessions: [session({})] });
    await user.click(screen.getByRole("button", { name: "End the session in Safari on iPhone" }));
    await waitFor(() => expect(screen.queryByText("Safari on iPhone")).toBeNull());
    expect(api.bodiesOf(`DELETE /me/sessions/${other.id}`)).toHaveLength(1);
  });

  test("say why one could not be ended", async () => {
    api.reply("GET /me/sessions", { sessions: [session({}), other] });
    api.fail(`DELETE /me/sessions/${other.id}`, {
      status: 404,
      code: "not-found",
      detail: "This session has already ended.",
    });
    const { user } = openPart(<AccountPage />, {});
    await user.click(
      await screen.findByRole("button", { name: "End the session in Safari on iPhone" }),
    );
    await screen.findByText("This session has already ended.");
  });

  test.each([
    [FIREFOX, "Firefox on Linux"],
    [SAFARI, "Safari on iPhone"],
    ["curl/8.0", "curl/8.0"],
    ["", "Unknown browser"],
  ])("name the browser of %j", (userAgent, name) => {
    expect(describeBrowser(userAgent)).toBe(name);
  });
});

describe("two-factor authentication", () => {
  const setup = { secret: "JBSWY3DP", otpauth_url: "otpauth://totp/x", qr_svg: "<svg/>" };

  test("is turned on with a code, and shows the recovery codes once", async () => {
    api.fail("POST /me/two-factor/confirm", {
      status: 422,
      code: "invalid-code",
      detail: "This code is wrong.",
    });
    const { user } = openPart(<AccountPage />, {});
    api.fail("POST /me/two-factor", {
      status: 403,
      code: "reauthentication-required",
      detail: "Enter your password to continue.",
    });
    await user.click(await screen.findByRole("button", { name: "Turn on" }));
    await user.type(await screen.findByLabelText("Your password"), "correct horse");
    api.reply("POST /me/two-factor", setup);
    await user.click(screen.getByRole("button", { name: "Turn on" }));
    await screen.findByText("JBSWY3DP");
    expect(api.bodiesOf("POST /me/two-factor").at(-1)).toBe('{"password":"correct horse"}');
    await user.type(screen.getByLabelText("Code"), "000000");
    await user.click(screen.getByRole("button", { name: "Confirm" }));
    await screen.findByText("This code is wrong.");
    api.reply("POST /me/two-factor/confirm", { recovery_codes: ["aaaa-bbbb", "cccc-dddd"] });
    api.reply("GET /me", makeMe({ two_factor: { enabled: true, recovery_codes_left: 10 } }));
    await user.clear(screen.getByLabelText("Code"));
    await user.type(screen.getByLabelText("Code"), "123456");
    await user.click(screen.getByRole("button", { name: "Confirm" }));
    const codes = await screen.findByRole("list", { name: "Recovery codes" });
    expect(within(codes).getAllByRole("listitem")).toHaveLength(2);
    await user.click(screen.getByRole("button", { name: "I have saved them" }));
    await screen.findByText("10 of 10 recovery codes are left.");
    expect(screen.queryByText("aaaa-bbbb")).toBeNull();
  });

  test("is turned off with the password and a code", async () => {
    api.replyText("DELETE /me/two-factor", "");
    const { user } = openApp("/user-panel", {
      two_factor: { enabled: true, recovery_codes_left: 2 },
    });
    await user.click(await screen.findByRole("button", { name: "Turn off" }));
    await user.type(screen.getByLabelText("Password"), "secret-123");
    await user.type(screen.getByLabelText("Code or recovery code"), "123456");
    api.reply("GET /me", makeMe());
    await user.click(screen.getByRole("button", { name: "Turn off" }));
    await screen.findByRole("button", { name: "Turn on" });
    expect(api.bodiesOf("DELETE /me/two-factor")).toEqual([
      '{"password":"secret-123","code":"123456"}',
    ]);
  });

  test("is asked for at the login, after the password", async () => {
    api.fail("POST /login", {
      status: 401,
      code: "two-factor-required",
      detail: "Enter the code of your authenticator app.",
    });
    const { user, address } = openApp("/login");
    await user.type(await screen.findByLabelText("Username"), "ann");
    await user.type(screen.getByLabelText("Password"), "secret-123");
    const submit = screen.getAllByRole("button", { name: "Login" }).at(-1) ?? document.body;
    await user.click(submit);
    await user.type(await screen.findByLabelText("Code of your authenticator app"), "123456");
    api.reply("GET /me", makeMe());
    api.reply("POST /login", { token: "token-1", approved: true, role: "user", username: "ann" });
    await user.click(submit);
    await waitFor(() => expect(address()).not.toBe("/login"));
    expect(api.bodiesOf("POST /login").at(-1)).toContain('"code":"123456"');
  });

  test("sends administrators who must turn it on to their account", async () => {
    api.failOthers({
      status: 403,
      code: "two-factor-enrolment-required",
      detail: "Turn on the second factor of your account first.",
    });
    const { address } = openApp("/admin", { role: "admin" });
    await waitFor(() => expect(address()).toBe("/user-panel"));
    await screen.findByText(/Administrators must turn on two-factor authentication/);
  });
});

test("the logout ends the session on the server", async () => {
  api.replyText("POST /logout", "");
  const { user } = openApp("/dashboard", {});
  await user.click(within(screen.getByRole("banner")).getByRole("button", { name: "Logout" }));
  await waitFor(() => expect(api.bodiesOf("POST /logout")).toHaveLength(1));
});
