import type { Me, PaymentProof as Proof } from "@shared/contract/account.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { DashboardPage } from "../../app/dashboard-page.tsx";
import { applyAccountEvent, refetchMe } from "../../domain/me.ts";
import { notifyListeners } from "../../lib/realtime/events.ts";
import { useSession } from "../../lib/session.ts";
import { inDays, makeMe, makeSubscription, NO_PAYMENT_DETAILS } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { PaymentProof } from "./payment-proof.tsx";

const openDashboard = (account: Partial<Me>, path = "/dashboard") =>
  openPart(<DashboardPage />, account, path);

const image = (name: string, size = 10) =>
  new File([new Uint8Array(size)], name, { type: "image/png" });

/** Opens the form of a trader who waits for approval. */
async function openForm() {
  const { user } = openPart(<PaymentProof />, { approved: false }, "/dashboard");
  const submit = await screen.findByRole("button", { name: "Submit proof" });
  return { user, submit };
}

test("a proof needs a sender name and an image, and a file that is none, or too large, is refused before it is sent", async () => {
  const { user, submit } = await openForm();
  await user.click(submit);
  await screen.findByText("Please provide both sender name and a file.");
  await user.type(screen.getByLabelText("Sender name"), "Jane Miller");
  await waitFor(() =>
    expect(screen.queryByText("Please provide both sender name and a file.")).toBeNull(),
  );
  await user.click(submit);
  await screen.findByText("Please provide both sender name and a file.");
  const input = screen.getByLabelText("Proof image");
  await user.upload(input, new File(["%PDF"], "a.pdf", { type: "application/pdf" }));
  await screen.findByText("Choose a PNG, JPEG or WebP image.");
  await user.upload(input, image("b.png", 5 * 1_024 * 1_024 + 1));
  await screen.findByText(/larger than 5 MB/);
  expect(api.bodiesOf("POST /submit-payment-proof")).toEqual([]);
});

test("a proof names its transaction if the seller accepts USDT", async () => {
  api.reply("GET /payment-details", {
    ...NO_PAYMENT_DETAILS,
    usdt: [{ network: "Tron", address: "TR7NHq" }],
  });
  api.reply("POST /submit-payment-proof", { detail: "Sent." });
  const { user, submit } = await openForm();
  const field = await screen.findByLabelText("Transaction hash (optional)");
  screen.getByText(/If you paid in USDT on Tron\./);
  await user.type(screen.getByLabelText("Sender name"), "Jane Miller");
  await user.upload(screen.getByLabelText("Proof image"), image("proof.png"));
  await user.type(field, "my payment");
  await user.click(submit);
  await screen.findByText("Enter the transaction hash: 64 digits and letters from a to f.");
  expect(api.bodiesOf("POST /submit-payment-proof")).toEqual([]);
  await user.clear(field);
  await user.paste("AB".repeat(32));
  await user.click(submit);
  await waitFor(() =>
    expect(api.bodiesOf("POST /submit-payment-proof")[0]).toContain("ab".repeat(32)),
  );
});

test("the steps to approval say what is done and what comes next", async () => {
  const me = makeMe({ approved: false, email_verified: false });
  openDashboard(me);
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
    id: "0123456789abcdef01234567",
    sender_name: "Ann",
    filename: "a.png",
    url: "/files/a.png",
    submitted_at: "2026-11-20T12:00:00.000Z",
  };
  api.reply("GET /me", { ...me, email_verified: true, payment_proof: proof });
  act(() => void refetchMe());
  await waitFor(() => expect(textsOf()[0]).toContain("Verify your email: done"));
  expect(textsOf()[1]).toContain("Send a payment proof: done");
  expect(textsOf()[2]).toContain("An administrator is reviewing your proof.");
});

const planField = () => screen.findByRole<HTMLSelectElement>("combobox", { name: "Plan" });

test("the plan of the payment page is kept over the sign-in and sent with the proof, once", async () => {
  api.reply("GET /payment-details", NO_PAYMENT_DETAILS);
  api.reply("POST /login", { token: "t", approved: false, role: "user", username: "ann" });
  const me = makeMe({ approved: false });
  api.reply("GET /me", me);
  const { user, address } = openApp("/payment?plan=starter");
  await user.click(await screen.findByRole("link", { name: "Submit proof on the dashboard" }));
  await waitFor(() => expect(address()).toBe("/login"));
  await user.type(await screen.findByLabelText("Username"), "ann");
  await user.type(screen.getByLabelText("Password"), "secret-123");
  const main = within(screen.getByRole("main"));
  await user.click(main.getByRole("button", { name: "Login" }));
  expect((await planField()).value).toBe("starter");
  screen.getByRole("option", { name: "Starter, $50 per month" });
  await user.type(screen.getByLabelText("Sender name"), "Jane Miller");
  await user.upload(screen.getByLabelText("Proof image"), image("receipt.png"));
  const payment_proof = {
    id: "0123456789abcdef01234567",
    sender_name: "Jane Miller",
    filename: "a.png",
    url: "/a.png",
    plan: "starter",
    submitted_at: inDays(0),
  };
  api.reply("POST /submit-payment-proof", { detail: "Done." });
  api.reply("GET /me", { ...me, payment_proof });
  await user.click(screen.getByRole("button", { name: "Submit proof" }));
  const status = (await screen.findByText("Proof under review")).parentElement;
  expect(status?.textContent).toContain("Plan Starter, $50 per month");
  const [body] = api.bodiesOf("POST /submit-payment-proof");
  expect(body).toMatch(/name="plan"\s+starter\s/);
  expect(localStorage.getItem("chosen-plan")).toBeNull();
});

test("a failed upload shows the reason and keeps what was filled in; without a chosen plan, a proof names none", async () => {
  api.drop("POST /submit-payment-proof");
  const { user, submit } = await openForm();
  expect((await planField()).value).toBe("");
  await user.type(screen.getByLabelText("Sender name"), "Jane Miller");
  await user.upload(screen.getByLabelText("Proof image"), image("receipt.png"));
  await user.click(submit);
  await screen.findByText("Your proof was not submitted");
  screen.getByDisplayValue("Jane Miller");
  screen.getByText("receipt.png");
  api.reply("POST /submit-payment-proof", { detail: "Done." });
  await user.click(submit);
  await screen.findByText("Proof submitted successfully! Please wait for review.");
  const [body] = api.bodiesOf("POST /submit-payment-proof");
  expect(body).not.toContain('name="plan"');
});

test("during a subscription the form opens on request, with its plan and what it renews", async () => {
  const subscription = makeSubscription();
  const { user } = openDashboard({ subscription });
  await user.click(await screen.findByRole("button", { name: "Submit payment proof" }));
  expect((await planField()).value).toBe("trader");
  screen.getByText(/A proof that you send now renews it/);
});

test("once a proof is accepted, its form is folded away, also if a link has opened it", async () => {
  const me = makeMe({ approved: false });
  const { user } = openDashboard(me, "/dashboard#payment-proof");
  await user.type(await screen.findByLabelText("Sender name"), "Jane Miller");
  await user.upload(screen.getByLabelText("Proof image"), image("proof.png"));
  api.reply("POST /submit-payment-proof", { detail: "Sent." });
  await user.click(screen.getByRole("button", { name: "Submit proof" }));
  await screen.findByText("Proof submitted successfully! Please wait for review.");
  const subscription = makeSubscription();
  api.reply("GET /me", { ...me, approved: true, subscription });
  act(() => useSession.setState({ approved: true }));
  act(() => void refetchMe());
  await screen.findByRole("button", { name: "Submit payment proof" });
  expect(screen.queryByLabelText("Sender name")).toBeNull();
});

test("a proof for a renewal says so until it is accepted", async () => {
  const payment_proof: Proof = {
    id: "0123456789abcdef01234567",
    sender_name: "Jane Miller",
    filename: "a.png",
    url: "/a.png",
    submitted_at: inDays(0),
    plan: "pro",
    renewal: true,
  };
  const me = makeMe({ subscription: makeSubscription(), payment_proof });
  openDashboard(me);
  await screen.findByText("Proof under review");
  screen.getByText("Renews your subscription");
  api.reply("GET /me", { ...me, payment_proof: { ...payment_proof, reviewed_at: inDays(0) } });
  act(() => void refetchMe());
  await waitFor(() => expect(screen.queryByText("Proof under review")).toBeNull());
  screen.getByRole("button", { name: "Submit payment proof" });
});

const rejected = {
  id: "0123456789abcdef01234567",
  sender_name: "Jane Miller",
  filename: "a.png",
  url: "/files/a.png",
  submitted_at: "2026-11-20T12:00:00.000Z",
  reviewed_at: "2026-11-21T12:00:00.000Z",
  plan: "pro",
  rejection: { reason: "amount-too-low", note: "Paid $50, <b>not</b> $150" },
} satisfies Proof;

test("a rejected proof says why at once and after a reload, and a new one can be sent", async () => {
  const me = makeMe({ approved: false });
  openDashboard(me);
  await screen.findByRole("button", { name: "Submit proof" });
  api.reply("GET /me", { ...me, payment_proof: rejected, stream_positions: { user: 1 } });
  act(() =>
    applyAccountEvent({
      stream: "user",
      seq: 1,
      at: "2026-11-21T12:00:00.000Z",
      name: "account:updated",
      data: {
        approved: false,
        role: "user",
        allow_image_upload: false,
        image_credits: 0,
        reason: "proof-rejected",
        proof_rejection: rejected.rejection,
      },
    }),
  );
  await screen.findByText("Your payment proof was rejected");
  screen.getByText("The amount is lower than the fee of the plan.");
  screen.getByText("Paid $50, <b>not</b> $150");
  // The steps ask for a proof again.
  screen.getByText(/then upload a screenshot of the payment/);
  screen.getByRole("button", { name: "Submit proof" });
});

test("who has access sees a rejected proof with the form for a new one", async () => {
  const subscription = makeSubscription();
  openDashboard(makeMe({ approved: true, subscription, payment_proof: rejected }));
  await screen.findByText("Your payment proof was rejected");
  screen.getByRole("button", { name: "Submit proof" });
});

test("who sent a proof that an administrator deletes reads that, and can send another one", async () => {
  const { rejection: _, reviewed_at: __, ...waiting } = rejected;
  const me = makeMe({ approved: false, payment_proof: waiting });
  openApp("/dashboard", me);
  await screen.findByText("Proof under review");
  api.reply("GET /me", { ...me, payment_proof: null, stream_positions: { user: 1 } });
  const place = { stream: "user", seq: 1, at: "2026-11-21T12:00:00.000Z" } as const;
  const event = { ...place, name: "proof:deleted", data: {} } as const;
  act(() => {
    applyAccountEvent(event);
    notifyListeners(event);
  });
  await screen.findByText("Your proof was removed");
  screen.getByRole("button", { name: "Submit proof" });
});
