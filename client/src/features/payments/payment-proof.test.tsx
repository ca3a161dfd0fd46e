import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { refetchMe } from "../../lib/me.ts";
import { makeMe } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

const image = (name: string, size = 10) =>
  new File([new Uint8Array(size)], name, { type: "image/png" });

/** Opens the dashboard of a trader who waits for approval. */
async function openDashboard() {
  const { user } = openApp("/dashboard", { approved: false });
  const submit = await screen.findByRole("button", { name: "Submit proof" });
  return { user, submit };
}

test("a proof needs a sender name and an image", async () => {
  const { user, submit } = await openDashboard();
  await user.click(submit);
  await screen.findByText("Please provide both sender name and a file.");
  await user.type(screen.getByLabelText("Sender name"), "Jane Miller");
  await waitFor(() =>
    expect(screen.queryByText("Please provide both sender name and a file.")).toBeNull(),
  );
  await user.click(submit);
  await screen.findByText("Please provide both sender name and a file.");
  expect(api.bodiesOf("POST /submit-payment-proof")).toEqual([]);
});

test("a file that is no image, or too large, is refused before it is sent", async () => {
  const { user } = await openDashboard();
  const input = screen.getByLabelText("Proof image");
  await user.upload(input, new File(["%PDF"], "a.pdf", { type: "application/pdf" }));
  await screen.findByText("Choose a PNG, JPEG or WebP image.");
  await user.upload(input, image("b.png", 5 * 1_024 * 1_024 + 1));
  await screen.findByText(/larger than 5 MB/);
});

test("the steps to approval say what is done and what comes next", async () => {
  const me = makeMe({ approved: false, email_verified: false });
  openApp("/dashboard", me);
  const steps = await screen.findByRole("list", { name: "Steps to approval" });
  const textsOf = () =>
    within(steps)
      .getAllByRole("listitem")
      .map((step) => step.textContent);
  expect(textsOf()).toEqual([
    expect.stringMatching(/Verify your email: to doOpen the link in the email .* ann@example.com/),
    expect.stringContaining("Send a payment proof: to do"),
    expect.stringContaining("An administrator reviews your proof"),
  ]);
  const proof = {
    ...{ sender_name: "Ann", filename: "a.png", url: "/files/a.png" },
    submitted_at: "2026-11-20T12:00:00.000Z",
  };
  api.reply("GET /me", { ...me, email_verified: true, payment_proof: proof });
  act(() => void refetchMe());
  await waitFor(() => expect(textsOf()[0]).toContain("Verify your email: done"));
  expect(textsOf()[1]).toContain("Send a payment proof: done");
  expect(textsOf()[2]).toContain("An administrator is reviewing your proof.");
});

test("a failed upload shows the reason and keeps what was filled in", async () => {
  api.drop("POST /submit-payment-proof");
  const { user, submit } = await openDashboard();
  await user.type(screen.getByLabelText("Sender name"), "Jane Miller");
  await user.upload(screen.getByLabelText("Proof image"), image("receipt.png"));
  await user.click(submit);
  await screen.findByText("Your proof was not submitted");
  screen.getByDisplayValue("Jane Miller");
  screen.getByText("receipt.png");
});
