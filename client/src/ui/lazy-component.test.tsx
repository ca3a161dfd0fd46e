import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { lazyComponent } from "./lazy-component.tsx";

/** A part of a page whose file is there, or not. */
function makePart(options: { isSilent?: boolean } = {}) {
  const server = { isAway: true, requests: 0 };
  const load = async () => {
    server.requests += 1;
    if (server.isAway) throw new TypeError("Failed to fetch dynamically imported module");
    return { Chart: () => <p>The chart</p> };
  };
  const Chart = lazyComponent(load, "Chart", { fallback: <p>Loading</p>, ...options });
  return { Chart, server };
}

test("a part that cannot be loaded says so in its place, and is loaded again on request", async () => {
  const { Chart, server } = makePart();
  render(<Chart />);
  screen.getByText("Loading");
  expect((await screen.findByRole("alert")).textContent).toContain("could not be loaded");
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(server.requests).toBe(2));
  await screen.findByRole("alert");
  server.isAway = false;
  await waitFor(() =>
    expect(screen.getByRole("button", { name: "Try again" })).toHaveProperty("disabled", false),
  );
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("The chart");
  expect(screen.queryByRole("alert")).toBeNull();
});

test.each([false, true])(
  "it is loaded by itself once the browser is online, silent: %s",
  async (isSilent) => {
    const { Chart, server } = makePart({ isSilent });
    render(<Chart />);
    if (isSilent) await waitFor(() => expect(server.requests).toBe(1));
    else await screen.findByRole("alert");
    server.isAway = false;
    await waitFor(() => {
      window.dispatchEvent(new Event("online"));
      screen.getByText("The chart");
    });
  },
);

test("it is loaded again if the browser goes online while an attempt is still failing", async () => {
  const attempts: (() => void)[] = [];
  let isAway = true;
  const load = () =>
    new Promise<{ Chart: () => ReactNode }>((resolve, reject) => {
      const error = isAway ? new TypeError("Failed to fetch dynamically imported module") : null;
      attempts.push(() => (error ? reject(error) : resolve({ Chart: () => <p>The chart</p> })));
    });
  const Chart = lazyComponent(load, "Chart");
  render(<Chart />);
  isAway = false;
  act(() => void window.dispatchEvent(new Event("online")));
  expect(attempts).toHaveLength(2);
  for (const finish of attempts) finish();
  await screen.findByText("The chart");
});

test("what was loaded ahead appears at once", async () => {
  const { Chart, server } = makePart();
  server.isAway = false;
  await Chart.preload();
  render(<Chart />);
  screen.getByText("The chart");
  expect(server.requests).toBe(1);
});
