import type { SecurityLogEntry } from "@shared/contract/security-log.ts";
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { ADMIN } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { AuditPage } from "./admin-pages.tsx";

const ROUTE = "GET /admin/security-log";

const makeEntry = (entry: Partial<SecurityLogEntry> = {}): SecurityLogEntry => ({
  id: "1",
  type: "sign-in:failed",
  actor: null,
  user: "ann",
  request_id: "r1",
  address: "203.0.113.7",
  device: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
  details: { reason: "invalid-password" },
  at: "2026-11-20T12:00:00.000Z",
  ...entry,
});
const lastQuery = () => api.requests.filter(({ route }) => route === ROUTE).at(-1)?.query;

test("each entry says who did what, and from where", async () => {
  api.reply(ROUTE, { entries: [makeEntry()], next_cursor: null });
  openPart(<AuditPage />, ADMIN, "/admin/audit");
  await screen.findByText("failed to log in as ann with a wrong password", { exact: false });
  screen.getByText("Someone");
  screen.getByText("203.0.113.7, Firefox on Linux");
});

test("text from a browser is shown as text", async () => {
  const user = "<img src=x onerror=alert(1)>";
  api.reply(ROUTE, { entries: [makeEntry({ user })], next_cursor: null });
  openPart(<AuditPage />, ADMIN, "/admin/audit");
  await screen.findByText(user, { exact: false });
  expect(document.querySelector("img[src=x]")).toBeNull();
});

test("the filter is in the URL, and its days are sent as times that include the last day", async () => {
  api.reply(ROUTE, { entries: [], next_cursor: null });
  const { user, address } = openPart(<AuditPage />, ADMIN, "/admin/audit");
  await screen.findByText("No entries yet.");
  await user.selectOptions(screen.getByLabelText("Event"), "Failed sign-in");
  await user.type(screen.getByLabelText("User"), "ann");
  await user.type(screen.getByLabelText("To"), "2026-11-20");
  await user.click(screen.getByRole("button", { name: "Apply" }));
  await screen.findByText("No entries match this filter.");
  expect(address()).toBe("/admin/audit?type=sign-in%3Afailed&user=ann&to=2026-11-20");
  expect(Object.fromEntries(lastQuery() ?? [])).toEqual({
    type: "sign-in:failed",
    user: "ann",
    to: new Date(2026, 10, 21).toISOString(),
  });
  await user.click(screen.getByRole("button", { name: "Reset" }));
  await screen.findByText("No entries yet.");
  expect(address()).toBe("/admin/audit");
  expect(screen.getByLabelText("User")).toHaveProperty("value", "");
});

test("the filter of an opened URL is applied and shown, and what is invalid in it is ignored", async () => {
  api.reply(ROUTE, { entries: [], next_cursor: null });
  openPart(<AuditPage />, ADMIN, "/admin/audit?type=access&from=yesterday&actor=root");
  await screen.findByText("No entries match this filter.");
  expect(Object.fromEntries(lastQuery() ?? [])).toEqual({ type: "access", actor: "root" });
  screen.getByDisplayValue("Access: all");
  screen.getByDisplayValue("root");
});

test("further pages are loaded with the filter, and applying it again reads new entries", async () => {
  api.reply(ROUTE, ({ query }) =>
    query.has("cursor")
      ? { entries: [makeEntry({ id: "2", user: "bob" })], next_cursor: null }
      : { entries: [makeEntry()], next_cursor: "1_0123456789abcdef01234567" },
  );
  const { user } = openPart(<AuditPage />, ADMIN, "/admin/audit?type=sign-ins");
  await user.click(await screen.findByRole("button", { name: "Load more" }));
  await screen.findByText("failed to log in as bob", { exact: false });
  expect(lastQuery()?.get("type")).toBe("sign-ins");
  api.reply(ROUTE, { entries: [makeEntry({ user: "eve" })], next_cursor: null });
  await user.click(screen.getByRole("button", { name: "Apply" }));
  await screen.findByText("failed to log in as eve", { exact: false });
});

test("a log that cannot be loaded says so, and is loaded again on request", async () => {
  api.fail(ROUTE, { status: 503, detail: "The service is busy." });
  const { user } = openPart(<AuditPage />, ADMIN, "/admin/audit");
  await screen.findByText("Failed to load the security log.");
  api.reply(ROUTE, { entries: [makeEntry()], next_cursor: null });
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("Someone");
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});
