import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { showToast } from "./show-toast.ts";
import { Toaster } from "./toaster.tsx";

afterEach(cleanup);

const shown = () =>
  [
    ...document.querySelectorAll("[role=group]:not([data-limited]):not([data-ending-style]) h2"),
  ].map(({ textContent }) => textContent);

describe("messages", () => {
  it("about events make room for each other, not for the answer to what the user did", async () => {
    render(<Toaster />);
    act(() => showToast({ title: "Ann is approved" }));
    for (const title of ["Proof 1", "Proof 2", "Proof 3"]) {
      act(() => showToast({ title, isEvent: true }));
    }
    await screen.findByText("Proof 3");
    expect(shown()).toEqual(["Proof 3", "Proof 2", "Ann is approved"]);
  });
});
