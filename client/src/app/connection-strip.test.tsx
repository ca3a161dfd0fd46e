import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { useRealtime } from "../lib/realtime/store.ts";
import { openApp } from "../testing/open-app.tsx";

test("a tab that gave up its connection for a newer one says that its updates are paused", async () => {
  openApp("/dashboard", {});
  await screen.findByText(/reconnecting/i);
  act(() => useRealtime.setState({ connection: "paused" }));
  screen.getByText(/^Updates are paused: over 10 tabs are open\./);
  expect(screen.queryByText(/reconnecting/i)).toBeNull();
});
