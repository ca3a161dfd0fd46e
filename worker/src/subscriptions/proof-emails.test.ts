import { PROOF_REJECTION_REASONS } from "@shared/contract/constants.ts";
import { expect, it } from "vitest";
import { messageEmail } from "./message-emails.ts";
import { proofRejectedEmail } from "./proof-emails.ts";

const context = {
  user: { username: "ann", email: "ann@example.com" },
  webUrl: "https://app.example.com",
};

it.each(PROOF_REJECTION_REASONS)(
  "an email about a proof rejected as %s has the note and a link to the form",
  (reason) => {
    const rejection = { reason, note: "Paid $50, the plan is $100" };
    const { to, text, html, link } = proofRejectedEmail(
      { rejection, senderName: "Jane Miller" },
      context,
    );
    expect(to).toBe("ann@example.com");
    expect(link).toBe("https://app.example.com/dashboard#payment-proof");
    for (const content of [text, html]) {
      expect(content).toContain("payment proof from Jane Miller");
      expect(content).toContain("Paid $50, the plan is $100.");
      expect(content).toContain(link);
    }
  },
);

it("an email about a rejected proof shows what people wrote as text, never as HTML", () => {
  const { html } = proofRejectedEmail(
    { rejection: { reason: "other", note: "<b>x</b>" }, senderName: "<i>Jane</i>" },
    context,
  );
  expect(html).not.toMatch(/<b>|<i>/);
  expect(html).toContain("&lt;b&gt;x&lt;/b&gt;");
});

it("what an administrator writes to users is text with its lines, never HTML", () => {
  const { subject, text, html } = messageEmail(
    { subject: "Maintenance", text: "Hi <script>x</script>\nall" },
    context,
  );
  expect(subject).toBe("Maintenance");
  expect(text).toContain("Hi <script>x</script>\nall");
  expect(html).not.toContain("<script>");
  expect(html).toContain("pre-line");
});
