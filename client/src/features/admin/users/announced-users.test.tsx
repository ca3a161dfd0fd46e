import { act, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { notifyListeners } from "../../../lib/realtime/events.ts";
import { ADMIN, makeUserCard } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import { adminEventPlace, cardOf, listOf, overview } from "../../../testing/open-admin.tsx";
import { openApp } from "../../../testing/open-app.tsx";

test("a registration that is announced while the users are still being loaded is in the list", async () => {
  const ann = makeUserCard();
  const bob = makeUserCard({ username: "bob" });
  const reads = () => api.requests.filter(({ route }) => route === "GET /admin/list-users").length;
  api.reply("GET /admin/overview", overview);
  api.reply("GET /admin/list-users", listOf([ann]));
  const release = api.hold("GET /admin/list-users");
  openApp("/admin/users", ADMIN);
  await waitFor(() => expect(reads()).toBeGreaterThan(0));
  // What is on its way was read before it.
  api.reply("GET /admin/list-users", listOf([bob, ann]));
  act(() => notifyListeners({ ...adminEventPlace, name: "user:registered", data: bob }));
  release();
  await cardOf("bob");
  await cardOf("ann");
});
