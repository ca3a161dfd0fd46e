import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { ADMIN, makeUserCard } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import { openReview, proof } from "../../../testing/open-admin.tsx";
import { openPart } from "../../../testing/open-app.tsx";
import { TransactionPanel } from "./transaction-panel.tsx";

const transaction = {
  status: "found",
  hash: "ab".repeat(32),
  network: "Tron",
  used_by: [],
  succeeded: true,
  confirmations: 1_250,
  sent_at: "2026-11-20T11:00:00.000Z",
  transfer: {
    token: "TR7NHq",
    is_usdt: true,
    amount: "149.5",
    recipient: "TOwn",
    is_recipient_ours: true,
  },
};
const use = { username: "bob", submitted_at: "2026-11-01T12:00:00.000Z", state: "deleted" };

test.each([
  [transaction, ["Transaction on Tron", "149.5 USDT", "To your address", "1,250 confirmations"]],
  [
    { ...transaction, confirmations: 1, used_by: [use, { ...use, username: "ann" }] },
    ["1 confirmation,", "Also used in the proof of bob", "in the proof of the same user"],
  ],
  [
    {
      ...transaction,
      transfer: { ...transaction.transfer, is_usdt: false, amount: null, is_recipient_ours: false },
    },
    ["Not USDT, but the token TR7NHq", "Not to your address, but to TOwn"],
  ],
  [{ ...transaction, transfer: null }, ["No token was transferred."]],
  [
    { ...transaction, transfer: null, succeeded: false },
    ["The transaction failed, so nothing was paid."],
  ],
  [{ ...transaction, status: "not-found" }, ["No such transaction on Tron."]],
  [
    { ...transaction, status: "not-configured", network: undefined },
    ["This can't be looked up: no wallet is configured."],
  ],
])("the review says what the blockchain knows of a transaction: %#", async (check, texts) => {
  api.reply("GET /admin/payments/ann/transaction", check);
  openPart(
    <TransactionPanel username="ann" proof={{ ...proof, transaction_hash: transaction.hash }} />,
    ADMIN,
  );
  const panel = await screen.findByRole("region", { name: "Transaction" });
  await within(panel).findAllByRole("listitem");
  for (const text of texts) expect(panel.textContent).toContain(text);
});

test("an unreachable blockchain is named, can be asked again", async () => {
  api.reply("GET /admin/payments/ann/transaction", { ...transaction, status: "unreachable" });
  const payment_proof = { ...proof, transaction_hash: transaction.hash };
  const user = await openReview([makeUserCard({ payment_proof })]);
  const dialog = await screen.findByRole("dialog", { name: "Payment proof of ann" });
  await within(dialog).findByText(/looks up transactions on Tron is not responding/);
  api.reply("GET /admin/payments/ann/transaction", transaction);
  await user.click(within(dialog).getByRole("button", { name: "Look up again" }));
  await within(dialog).findByText("149.5 USDT");
});
