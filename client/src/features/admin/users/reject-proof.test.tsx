import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../../testing/fake-api.ts";
import { openReview, proof, reviewOf, waitingUsers } from "../../../testing/open-admin.tsx";

test("a proof is rejected by keys with a reason and a note, and the next one opens", async () => {
  const user = await openReview(waitingUsers);
  await reviewOf("ann");
  await user.keyboard("r");
  const dialog = await screen.findByRole("dialog", { name: "Reject the payment proof of ann?" });
  const reasons = ["Amount too low", "Unreadable", "Wrong account", "Duplicate", "Other"];
  for (const name of reasons) within(dialog).getByRole("radio", { name });
  await user.click(within(dialog).getByLabelText("Wrong account"));
  // The keys of the review are letters of the note.
  await user.type(within(dialog).getByLabelText("Note (optional)"), "Paid <b>rad</b>");
  within(dialog).getByText("The payment did not go to one of our accounts. Paid <b>rad</b>.");
  api.reply("POST /admin/reject-proof/ann", { detail: "The payment proof of ann is rejected." });
  await user.click(within(dialog).getByRole("button", { name: "Reject proof" }));
  await reviewOf("bob");
  await screen.findByText("The payment proof of ann is rejected.");
  expect(api.bodiesOf("POST /admin/reject-proof/ann")).toEqual([
    JSON.stringify({ reason: "wrong-account", note: "Paid <b>rad</b>", proof_id: proof.id }),
  ]);
});

test("another reason needs a note, and a proof that was replaced since is not rejected", async () => {
  const user = await openReview(waitingUsers);
  await reviewOf("ann");
  await user.keyboard("r");
  const dialog = await screen.findByRole("dialog", { name: "Reject the payment proof of ann?" });
  await user.click(within(dialog).getByLabelText("Other"));
  await user.click(within(dialog).getByRole("button", { name: "Reject proof" }));
  await within(dialog).findByText("Say what is wrong.");
  expect(api.bodiesOf("POST /admin/reject-proof/ann")).toEqual([]);
  const detail = "The payment proof of ann is no longer the one that you saw.";
  api.fail("POST /admin/reject-proof/ann", { status: 409, code: "proof-changed", detail });
  const [ann] = waitingUsers;
  api.reply("GET /admin/users/ann", { user: ann, periods: [], credits: [], signals: [] });
  await user.click(within(dialog).getByLabelText("Unreadable"));
  await user.click(within(dialog).getByRole("button", { name: "Reject proof" }));
  expect((await within(dialog).findByRole("alert")).textContent).toContain(detail);
});
