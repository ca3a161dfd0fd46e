import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { makeMe } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

type User = ReturnType<typeof openApp>["user"];

const submitButton = (name: "Login" | "Register") =>
  screen.getAllByRole("button", { name }).at(-1) ?? document.body;

async function logIn(user: User): Promise<void> {
  await user.type(await screen.findByLabelText("Username"), "ann");
  await user.type(screen.getByLabelText("Password"), "secret-123");
  await user.click(submitButton("Login"));
}

async function register(user: User, form: { username: string; email: string; password: string }) {
  await user.type(await screen.findByLabelText("Username"), form.username);
  await user.type(screen.getByLabelText("Email"), form.email);
  await user.type(screen.getByLabelText("Password"), form.password);
  await user.click(submitButton("Register"));
}

/** Lets the server answer a login or a registration with a session. */
function acceptSession(route: string): void {
  const me = makeMe({ approved: false });
  api.reply("GET /me", me);
  api.reply(route, { token: "token-1", approved: false, role: "user", username: me.username });
}

const mainLink = (name: string) =>
  screen.getAllByRole("link", { name }).filter((link) => link.closest("main"))[0] ?? document.body;

test("the login leads to the registration and back, and to a forgotten password", async () => {
  const { user, address } = openApp("/login");
  await screen.findByRole("heading", { level: 1, name: "Login" });
  await user.click(mainLink("Register"));
  await screen.findByRole("heading", { level: 1, name: "Register" });
  await user.click(mainLink("Login"));
  await screen.findByRole("heading", { level: 1, name: "Login" });
  expect(screen.queryByLabelText("Email")).toBeNull();
  await user.click(mainLink("Forgot Password"));
  await waitFor(() => expect(address()).toBe("/forgot-password"));
});

test("a login without its fields says which are missing, and sends nothing", async () => {
  const { user } = openApp("/login");
  await screen.findByLabelText("Username");
  await user.click(submitButton("Login"));
  await screen.findByText("Enter your username.");
  await screen.findByText("Enter your password.");
  expect(api.bodiesOf("POST /login")).toEqual([]);
});

test("a registration with malformed fields says what is wrong with each, and sends nothing", async () => {
  const { user } = openApp("/register");
  await register(user, { username: "a b", email: "not an address", password: "short" });
  await screen.findByText("Enter a valid email address.");
  await screen.findByText("New password must be at least 6 characters long.");
  const username = screen.getByLabelText("Username");
  expect(username.getAttribute("aria-invalid")).toBe("true");
  expect(api.bodiesOf("POST /register")).toEqual([]);
});

test("while the server has not answered, the button says so and the form is sent once", async () => {
  acceptSession("POST /login");
  const release = api.hold("POST /login");
  const { user, address } = openApp("/login");
  await logIn(user);
  await screen.findByRole("button", { name: "Processing..." });
  await user.type(screen.getByLabelText("Username"), "{Enter}");
  release();
  await waitFor(() => expect(address()).toBe("/dashboard"));
  expect(api.bodiesOf("POST /login")).toHaveLength(1);
});

describe("a failed login", () => {
  test("shows the server's reason", async () => {
    api.fail("POST /login", {
      status: 401,
      detail: "Wrong username or password.",
      code: "invalid-credentials",
    });
    const { user } = openApp("/login");
    await logIn(user);
    expect((await screen.findByRole("alert")).textContent).toBe("Wrong username or password.");
  });

  test("says when the server cannot be reached", async () => {
    api.drop("POST /login");
    const { user } = openApp("/login");
    await logIn(user);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The server cannot be reached.");
  });

  test("names the status of a server that gives no reason", async () => {
    api.fail("POST /login", { status: 500 });
    const { user } = openApp("/login");
    await logIn(user);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("Server error: 500 Internal Server Error");
  });
});

test.each(["auth/username-already-in-use", "auth/email-already-in-use"])(
  "a registration that is refused with %s shows this code",
  async (code) => {
    api.fail("POST /register", { status: 409, detail: "It is taken.", code });
    const { user } = openApp("/register");
    await register(user, { username: "ann", email: "ann@example.com", password: "secret-123" });
    expect((await screen.findByRole("alert")).textContent).toContain(code);
  },
);

test("a new trader reads what comes next, and is on the dashboard three seconds later", async () => {
  acceptSession("POST /register");
  const { user, address } = openApp("/register");
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  try {
    await register(user, { username: "ann", email: "ann@example.com", password: "secret-123" });
    await screen.findByText("Registration successful!");
    screen.getByText((text) =>
      text.includes("Please verify your email and wait for admin approval."),
    );
    await vi.advanceTimersByTimeAsync(2_000);
    expect(address()).toBe("/register");
    await vi.advanceTimersByTimeAsync(1_000);
    await waitFor(() => expect(address()).toBe("/dashboard"));
  } finally {
    vi.useRealTimers();
  }
});
