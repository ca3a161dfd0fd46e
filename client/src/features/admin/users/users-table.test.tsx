import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { refetch } from "../../../lib/query-client.ts";
import { notifyListeners } from "../../../lib/realtime/events.ts";
import { ADMIN, makeUserCard } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import {
  adminEventPlace,
  cardOf,
  listOf,
  menuOf,
  openUsers,
  proof,
  reviewOf,
  serveUsers,
} from "../../../testing/open-admin.tsx";
import { openPart } from "../../../testing/open-app.tsx";
import { UsersPage } from "../admin-pages.tsx";
import { adminKeys } from "../api.ts";

const users = [
  makeUserCard({ username: "ann", payment_proof: { ...proof, plan: "pro" } }),
  makeUserCard({ username: "bob", approved: true }),
  makeUserCard({ username: "cyd" }),
];

async function openTable() {
  const app = openUsers(users);
  await cardOf("ann");
  return app;
}

const bodies = (action: string, name: string) => api.bodiesOf(`POST /admin/${action}/${name}`);

test("a user is approved, reviewed, opened and revoked by keys alone, and it is undone by a key", async () => {
  const { user, address } = await openTable();
  for (const name of ["ann", "bob"]) {
    api.reply(`POST /admin/undo/${name}`, { detail: `Undone: ${name}.` });
  }
  api.reply("POST /admin/approve/ann", { detail: "ann is approved." });
  api.reply("POST /admin/revoke/bob", { detail: "bob is no longer approved." });
  await user.keyboard("/");
  expect(document.activeElement).toBe(screen.getByLabelText("Search users"));
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(await cardOf("ann"));
  await user.keyboard("a");
  await screen.findByRole("button", { name: "Undo (Z)" });
  expect(bodies("approve", "ann")).toEqual([`{"plan":"pro","months":1,"proof_id":"${proof.id}"}`]);
  await user.keyboard("z");
  await screen.findByText("Undone: ann.");
  await user.keyboard("z");
  expect(bodies("undo", "ann")).toHaveLength(1);

  await user.keyboard("p");
  await reviewOf("ann");
  await user.keyboard("{Escape}");
  await waitFor(async () => expect(document.activeElement).toBe(await cardOf("ann")));

  await user.keyboard("jr");
  const question = await screen.findByRole("alertdialog");
  await user.click(within(question).getByRole("button", { name: "Revoke" }));
  await screen.findByText("bob is no longer approved.");
  await waitFor(async () => expect(document.activeElement).toBe(await cardOf("bob")));
  await user.keyboard("z");
  await screen.findByText("Undone: bob.");

  await user.keyboard("{End}{Enter}");
  await waitFor(() => expect(address()).toBe("/admin/users?user=cyd"));
});

test("the key of Undo does nothing in a text, and not for a user who cannot be approved", async () => {
  const { user } = await openTable();
  api.reply("POST /admin/approve/ann", { detail: "ann is approved." });
  await user.click(within(await cardOf("ann")).getByRole("button", { name: "Approve" }));
  await screen.findByRole("button", { name: "Undo (Z)" });
  await user.type(screen.getByLabelText("Search users"), "z");
  expect(bodies("undo", "ann")).toEqual([]);
  await user.clear(screen.getByLabelText("Search users"));
  (await cardOf("bob")).focus();
  await user.keyboard("a");
  expect(bodies("approve", "bob")).toEqual([]);
});

test("selected users are approved, revoked, given credits and written to together", async () => {
  const { user } = await openTable();
  for (const name of ["ann", "bob", "cyd"]) {
    for (const action of ["approve", "revoke", "grant-image-credits", "undo"]) {
      api.reply(`POST /admin/${action}/${name}`, { detail: `${action} ${name}` });
    }
  }
  api.fail("POST /admin/approve/cyd", { status: 500, detail: "Out of order." });
  api.reply("POST /admin/email-users", { detail: "The email to 3 users is being sent." });
  await user.click(screen.getByLabelText("Select all users shown"));
  const bar = within(screen.getByRole("region", { name: "Selected users" }));
  bar.getByText("3 selected");

  await user.click(bar.getByRole("button", { name: "Approve 2" }));
  await screen.findByText("Failed for 1 user");
  screen.getByText("cyd: Out of order.");
  await screen.findByText("1 user approved.");
  expect(bodies("approve", "bob")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Undo (Z)" }));
  await waitFor(() => expect(bodies("undo", "ann")).toHaveLength(1));

  await user.click(bar.getByRole("button", { name: "Revoke 1" }));
  const question = await screen.findByRole("alertdialog", {
    name: "Revoke the approval of 1 user?",
  });
  await user.click(within(question).getByRole("button", { name: "Revoke 1" }));
  await screen.findByText("1 user revoked.");

  await user.click(bar.getByRole("button", { name: "Grant credits" }));
  const grant = within(await screen.findByRole("dialog", { name: "Grant credits to 3 users" }));
  await user.type(grant.getByLabelText("Number of credits for each"), "5");
  await user.click(grant.getByRole("button", { name: "Grant" }));
  await screen.findByText("3 users got 5 image credits each.");

  await user.click(bar.getByRole("button", { name: "Email" }));
  const email = within(await screen.findByRole("dialog", { name: "Email 3 users" }));
  await user.click(email.getByRole("button", { name: "Send email" }));
  await email.findByText("Enter a subject.");
  await user.type(email.getByLabelText("Subject"), "Maintenance");
  await user.type(email.getByLabelText("Text"), "Hello");
  await user.click(email.getByRole("button", { name: "Send email" }));
  await screen.findByText("The email to 3 users is being sent.");
  expect(api.bodiesOf("POST /admin/email-users")).toEqual([
    '{"usernames":["ann","bob","cyd"],"subject":"Maintenance","text":"Hello"}',
  ]);
  await user.click(bar.getByRole("button", { name: "Clear the selection" }));
  expect(screen.queryByRole("region", { name: "Selected users" })).toBeNull();
});

test("rows are selected by keys, and a range with Shift", async () => {
  const { user } = await openTable();
  (await cardOf("ann")).focus();
  await user.keyboard("x{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
  screen.getByText("3 selected");
  await user.keyboard("{Escape}");
  expect(screen.queryByText("3 selected")).toBeNull();
  await user.keyboard("{Control>}a{/Control}");
  screen.getByText("3 selected");
});

test("the columns sort, and the address keeps the order", async () => {
  const { user, address } = await openTable();
  const lastSort = () => {
    const pages = api.requests.filter(({ query }) => query.get("limit") === "100");
    return pages.at(-1)?.query.get("sort") ?? null;
  };
  expect(lastSort()).toBeNull();
  const sortBy = (name: string) => user.click(screen.getByRole("button", { name }));
  await sortBy("User");
  await waitFor(() => expect(lastSort()).toBe("username"));
  expect(address()).toBe("/admin/users?sort=username");
  await sortBy("User");
  await waitFor(() => expect(lastSort()).toBe("-username"));
  await sortBy("Subscription");
  await waitFor(() => expect(lastSort()).toBe("ends"));
  await sortBy("Registered");
  await waitFor(() => expect(address()).toBe("/admin/users"));
});

test("further users come when the keys go beyond the last row", async () => {
  api.reply("GET /admin/list-users", ({ query }) => {
    if (query.get("status") === "proof") return listOf([]);
    const isSecond = query.has("cursor");
    const shown = [makeUserCard({ username: isSecond ? "bob" : "ann" })];
    return { ...listOf(shown, isSecond ? null : "1_0123456789abcdef01234567"), total: 2 };
  });
  const { user } = openPart(<UsersPage />, ADMIN, "/admin/users");
  (await cardOf("ann")).focus();
  await user.keyboard("{ArrowDown}");
  await cardOf("bob");
});

test("all users that match are selected, also those that are not shown yet", async () => {
  const shown = users.slice(0, 2);
  api.reply("GET /admin/list-users", ({ query }) => {
    if (query.get("status") === "proof") return listOf([]);
    const page = query.has("cursor") ? users.slice(2) : shown;
    return { users: page, next_cursor: query.has("cursor") ? null : "c1", total: 3 };
  });
  const { user } = openPart(<UsersPage />, ADMIN, "/admin/users");
  (await cardOf("ann")).focus();
  await user.keyboard("x");
  expect(screen.queryByRole("button", { name: "Select all 3" })).toBeNull();
  await user.click(screen.getByRole("checkbox", { name: "Select all users shown" }));
  await user.click(await screen.findByRole("button", { name: "Select all 3" }));
  await screen.findByText("3 selected");
  await cardOf("cyd");
  // The keyboard goes on in the bar, and from there back to the rows.
  expect(document.activeElement?.textContent).toBe("Approve 2");
  screen.getByRole("button", { name: "Clear the selection" }).focus();
  await user.keyboard("{Enter}");
  expect(document.activeElement).toBe(await cardOf("ann"));
});

test("the Tab key leads from a row to what is done to the selected users", async () => {
  const { user } = await openTable();
  (await cardOf("ann")).focus();
  await user.keyboard("x{Tab}");
  expect(document.activeElement?.textContent).toBe("Approve 1");
});

/** The list is read again, in which "cyd" has no place any more. */
async function pushCydOut(): Promise<void> {
  serveUsers([...users.slice(0, 1), makeUserCard({ username: "bob" })]);
  await refetch({ queryKey: adminKeys.users });
  await waitFor(async () => expect((await cardOf("bob")).textContent).toContain("Pending"));
}

test("an open menu stays, with its row, when its user has left the list, until they are deleted", async () => {
  const { user } = openUsers(users);
  const names = () => screen.getAllByRole("row").map(({ dataset }) => dataset.username);
  const menu = within(await menuOf(user, "cyd"));
  await pushCydOut();
  expect(names()).toEqual([undefined, "ann", "bob", "cyd"]);
  const approved = makeUserCard({ username: "cyd", approved: true });
  act(() => notifyListeners({ ...adminEventPlace, name: "user:updated", data: approved }));
  expect(menu.getByRole("button", { name: "Approve" }).hasAttribute("disabled")).toBe(true);
  const data = { username: "cyd" };
  act(() => notifyListeners({ ...adminEventPlace, name: "user:deleted", data }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(names()).toEqual([undefined, "ann", "bob"]);
});

test("the row of a user who has left the list goes with its menu", async () => {
  const { user } = openUsers(users);
  await menuOf(user, "cyd");
  await pushCydOut();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("row", { name: "cyd" })).toBeNull());
});
