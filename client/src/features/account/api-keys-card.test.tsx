import type { ApiKey } from "@shared/contract/api-keys.ts";
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { ApiKeysCard } from "./api-keys-card.tsx";

const key: ApiKey = {
  id: "11111111-1111-4111-8111-111111111111",
  name: "My bot",
  prefix: "ats_abcdefgh",
  scopes: ["read", "signals"],
  created_at: "2026-11-20T12:00:00.000Z",
  expires_at: null,
  last_used_at: null,
};

test("shows a new key once, and what it may do", async () => {
  api.reply("GET /me/api-keys", { keys: [] });
  api.reply("POST /me/api-keys", { ...key, key: "ats_abcdefgh-the-rest" });
  const { user } = openPart(<ApiKeysCard />, {});
  await user.click(await screen.findByRole("button", { name: "Create a key" }));
  await user.type(screen.getByLabelText("Name"), "My bot");
  await user.click(screen.getByLabelText("Request signals, within your limits"));
  await user.selectOptions(screen.getByLabelText("Expires after"), "Never");
  api.reply("GET /me/api-keys", { keys: [key] });
  await user.click(screen.getByRole("button", { name: "Create" }));
  await screen.findByText("ats_abcdefgh-the-rest");
  expect(api.bodiesOf("POST /me/api-keys")).toEqual([
    JSON.stringify({ name: "My bot", scopes: ["read", "signals"] }),
  ]);
  await user.click(screen.getByRole("button", { name: "I have saved it" }));
  expect(screen.queryByText("ats_abcdefgh-the-rest")).toBeNull();
  const item = await screen.findByText("My bot");
  expect(item.closest("li")?.textContent).toContain("ats_abcdefgh… · read, signals");
  expect(item.closest("li")?.textContent).toContain("Never used, does not expire");
});

test("asks for a name and at least one scope", async () => {
  api.reply("GET /me/api-keys", { keys: [] });
  const { user } = openPart(<ApiKeysCard />, {});
  await user.click(await screen.findByRole("button", { name: "Create a key" }));
  await user.click(screen.getByLabelText("Read your signals, results and account"));
  await user.click(screen.getByRole("button", { name: "Create" }));
  await screen.findByText("Enter a name.");
  await screen.findByText("Choose at least one scope.");
});

test("ends a key in one click", async () => {
  api.reply("GET /me/api-keys", { keys: [key] });
  const { user } = openPart(<ApiKeysCard />, {});
  const end = await screen.findByRole("button", { name: "End the key My bot" });
  api.replyText(`DELETE /me/api-keys/${key.id}`, "");
  api.reply("GET /me/api-keys", { keys: [] });
  await user.click(end);
  await waitFor(() => expect(screen.queryByText("My bot")).toBeNull());
  screen.getByRole("button", { name: "Create a key" });
});

test("names the addresses that a program needs", async () => {
  const { user } = openPart(<ApiKeysCard />, {});
  await user.click(await screen.findByRole("button", { name: "Copy the address of MCP" }));
  expect(await navigator.clipboard.readText()).toMatch(/^http.+\/mcp$/);
});
