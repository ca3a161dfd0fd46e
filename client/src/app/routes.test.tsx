import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { ADMIN, makeMe } from "../testing/factories.ts";
import { api } from "../testing/fake-api.ts";
import { openApp } from "../testing/open-app.tsx";

const PUBLIC = [
  "/",
  "/login",
  "/register",
  "/pricing",
  "/payment",
  "/performance",
  "/contact",
  "/privacy",
  "/terms",
  "/forgot-password",
  "/reset-password",
  "/verify-email",
  "/unsubscribe",
  "/analyst",
];
const GUARDED = [
  "/dashboard",
  "/user-panel",
  "/bot",
  "/signal-history",
  "/admin",
  "/admin/users",
  "/admin/audit",
];

/** Goes to each of these paths in turn, and says where that leads once a screen is shown. */
async function visit(app: ReturnType<typeof openApp>, paths: string[]): Promise<string[]> {
  const reached: string[] = [];
  for (const path of paths) {
    await app.goTo(path);
    await screen.findByRole("heading", { level: 1 });
    reached.push(app.address());
  }
  return reached;
}

/** Of the screens with a description of their own. */
const titles = new Map<string, string>([
  ["/pricing", "Pricing · AI Trading Bot"],
  ["/payment", "Payment · AI Trading Bot"],
  ["/performance", "Performance · AI Trading Bot"],
  ["/contact", "Contact · AI Trading Bot"],
  ["/privacy", "Privacy Policy · AI Trading Bot"],
  ["/terms", "Terms of Service · AI Trading Bot"],
  ["/forgot-password", "Forgot password · AI Trading Bot"],
  ["/", "AI Trading Bot"],
] as const);

test("a visitor sees every public screen with its title and description, and is sent to the login by all others", async () => {
  const meta = document.createElement("meta");
  meta.name = "description";
  meta.content = "common";
  document.head.append(meta);
  const app = openApp("/login");
  await screen.findByRole("heading", { level: 1 });
  const descriptions = new Set<string>();
  for (const path of PUBLIC) {
    expect(await visit(app, [path])).toEqual([path]);
    const title = titles.get(path);
    if (title === undefined) continue;
    await waitFor(() => expect(document.title).toBe(title));
    descriptions.add(meta.content);
  }
  expect(descriptions.size).toBe(titles.size);
  meta.remove();
  expect(await visit(app, GUARDED)).toEqual(GUARDED.map(() => "/login"));
});

const roles = [
  {
    name: "a trader who waits for approval",
    account: { approved: false },
    open: ["/dashboard", "/user-panel"],
  },
  {
    name: "an approved trader",
    account: { approved: true },
    open: ["/dashboard", "/user-panel", "/bot", "/signal-history"],
  },
  { name: "an administrator", account: ADMIN, open: GUARDED },
];

test.each(roles)(
  "$name sees the screens of their role, and the dashboard in place of all others",
  async ({ account, open }) => {
    const app = openApp("/terms", account);
    const expected = GUARDED.map((path) => (open.includes(path) ? path : "/dashboard"));
    expect(await visit(app, GUARDED)).toEqual(expected);
    expect(await visit(app, ["/login", "/register"])).toEqual(["/dashboard", "/dashboard"]);
    const navigation = within(screen.getByRole("navigation", { name: "Main" }));
    const adminLinks = navigation.queryAllByRole("link", { name: "Admin" });
    expect(adminLinks).toHaveLength(open.includes("/admin") ? 1 : 0);
  },
);

test("the navigation does not change when the first screen has loaded, so that no click on it is lost", async () => {
  openApp("/dashboard", {});
  const logout = screen.getByRole("button", { name: "Logout" });
  expect(screen.queryByRole("heading", { level: 1 })).toBeNull();
  await screen.findByRole("heading", { level: 1, name: "Dashboard" });
  expect(within(screen.getByRole("banner")).getByRole("button", { name: "Logout" })).toBe(logout);
});

test("a role that only the browser claims is corrected by the server", async () => {
  const { address } = openApp("/admin", ADMIN);
  api.reply("GET /me", makeMe({ approved: false }));
  await waitFor(() => expect(address()).toBe("/dashboard"));
  await screen.findByText("Approval Pending");
  expect(localStorage.getItem("isApproved")).toBe("false");
  expect(localStorage.getItem("isAdmin")).toBe("false");
});

test("a session that the server does not know ends with the reason", async () => {
  const { address } = openApp("/dashboard", {});
  api.fail("GET /me", { status: 401, detail: "Log in first.", code: "unauthenticated" });
  await waitFor(() => expect(address()).toBe("/login"));
  await screen.findByText("Your session has expired. Please log in again.");
});

test("the navigation has the same links for all, the watchlist for approved users, and one more for administrators", async () => {
  const start = ["Home", "BOT"];
  const end = ["History", "Dashboard", "Pricing", "Contact"];
  const texts = () =>
    within(screen.getByRole("navigation", { name: "Main" }))
      .getAllByRole("link")
      .map((link) => link.textContent);
  openApp("/pricing");
  await screen.findByRole("heading", { level: 1 });
  expect(texts()).toEqual([...start, ...end]);
  within(screen.getByRole("banner")).getByRole("link", { name: "Login" });
  cleanup();
  openApp("/pricing", ADMIN);
  await screen.findByRole("heading", { level: 1 });
  expect(texts()).toEqual([...start, "Watchlist", ...end, expect.stringMatching(/^Admin/)]);
  within(screen.getByRole("banner")).getByRole("button", { name: "Logout" });
});

test("'Get Started' leads a visitor over the login to the dashboard, or to an account", async () => {
  const { user, address } = openApp("/");
  const start = await screen.findByRole("link", { name: "Get Started" });
  expect(start.getAttribute("href")).toBe("/dashboard");
  await user.click(start);
  await waitFor(() => expect(address()).toBe("/login"));
  await user.click(await screen.findByRole("link", { name: "Create an account" }));
  await waitFor(() => expect(address()).toBe("/register"));
});

test("the navigation leads a visitor to create an account", async () => {
  const { user, address } = openApp("/pricing");
  const banner = within(screen.getByRole("banner"));
  await user.click(banner.getByRole("link", { name: "Register" }));
  await waitFor(() => expect(address()).toBe("/register"));
  await waitFor(() => expect(banner.queryByRole("link", { name: "Register" })).toBeNull());
});

test("an address without a screen says so and leads home", async () => {
  const { user, address } = openApp("/no-such-page");
  await screen.findByRole("heading", { level: 1, name: "Page not found" });
  await user.click(screen.getByRole("link", { name: "Go to the home page" }));
  await waitFor(() => expect(address()).toBe("/"));
});

test("the former address of the security log leads to it, with its filter", async () => {
  const { address } = openApp("/security-log?type=administration", ADMIN);
  await waitFor(() => expect(address()).toBe("/admin/audit?type=administration"));
});

test("the phone's menu leads through the screens and closes behind itself", async () => {
  const { user, address } = openApp("/");
  await screen.findByRole("heading", { level: 1, name: "AI-Powered Trading Signals" });
  await user.click(screen.getByRole("button", { name: "Open menu" }));
  const menu = await screen.findByRole("dialog", { name: "Menu" });
  within(menu).getByRole("link", { name: "Login" });
  await user.click(within(menu).getByRole("link", { name: "Pricing" }));
  await waitFor(() => expect(address()).toBe("/pricing"));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("the footer and the navigation lead to contact, privacy and terms", async () => {
  const { user } = openApp("/");
  await screen.findByRole("heading", { level: 1 });
  const footer = screen.getByRole("contentinfo");
  expect(footer.textContent).toContain(
    `© ${new Date().getFullYear()} AI Trading Bot. All Rights Reserved.`,
  );
  for (const name of ["Privacy Policy", "Terms of Service"]) {
    await user.click(within(footer).getByRole("link", { name }));
    await screen.findByRole("heading", { level: 1, name });
  }
  const navigation = screen.getByRole("navigation", { name: "Main" });
  await user.click(within(navigation).getByRole("link", { name: "Contact" }));
  const mail = await screen.findByRole("link", { name: /E-?mail/i });
  expect(mail.getAttribute("href")).toBe("mailto:support@example.com");
  expect(screen.queryByRole("link", { name: /WhatsApp|Telegram/ })).toBeNull();
});
