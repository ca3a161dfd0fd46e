import { setImmediate as nextTurn } from "node:timers/promises";
import { createMemoryRouter, type RouteObject } from "react-router-dom";
import { expect, it, vi } from "vitest";
import { holdScreen, loadScreen } from "./app.tsx";

const Screen = () => null;
const routes = (): RouteObject[] => [{ path: "/bot", lazy: async () => ({ Component: Screen }) }];
const open = (screens: RouteObject[]) => createMemoryRouter(screens, { initialEntries: ["/bot"] });

it("a screen that is loaded first is shown at once", async () => {
  const screens = routes();
  await loadScreen(screens, "/bot");
  expect(open(screens).state.initialized).toBe(true);
});

it("a screen that is held is not shown before it may be, though its code is there", async () => {
  const screens = routes();
  const gate = new EventTarget();
  const opened = new Promise((resolve) => gate.addEventListener("open", resolve));
  holdScreen(screens, "/bot", opened);
  const router = open(screens);
  for (const _ of Array(5)) await nextTurn();
  expect(router.state.initialized).toBe(false);
  gate.dispatchEvent(new Event("open"));
  await vi.waitFor(() => expect(router.state.initialized).toBe(true), { timeout: 30_000 });
});
