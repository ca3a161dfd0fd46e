import { PLANS } from "@shared/contract/plans.ts";
import { EMAIL_KINDS } from "@shared/domain/subscription-email.ts";
import { describe, expect, it } from "vitest";
import { subscriptionEmail } from "./subscription-emails.ts";

const endsAt = new Date("2027-03-31T12:00:00Z");
const accessEndsAt = new Date("2027-04-03T12:00:00Z");
const user = { username: "ann", email: "ann@example.com" };

const emailOf = (kind: (typeof EMAIL_KINDS)[number], at = "2027-03-28T12:00:03Z") =>
  subscriptionEmail(
    { kind, subscription: { plan: "pro", endsAt, accessEndsAt } },
    { user, at: new Date(at), webUrl: "https://app.example.com", plans: PLANS },
  );

describe("an email about a subscription", () => {
  it.each(EMAIL_KINDS)("%s names the plan in text and HTML, with a link to a page", (kind) => {
    const { to, text, html, link } = emailOf(kind);
    expect(to).toBe("ann@example.com");
    expect(text).toMatch(/^Hello ann,\n\n[A-Z]/);
    for (const content of [text, html]) {
      expect(content).toContain("Pro plan");
      expect(content).toContain(link);
    }
  });

  it("that reminds says when it ends, until when there is access, and what to pay where", () => {
    const { subject, text, link } = emailOf("subscription-expiring");
    expect(subject).toBe("Your AI Trading Signals subscription ends in 3 days");
    expect(text).toContain("ends on 31 March 2027 at 12:00 UTC");
    expect(text).toContain("until 3 April 2027 at 12:00 UTC");
    expect(text).toContain("$150");
    expect(link).toBe("https://app.example.com/payment?plan=pro");
    expect(emailOf("subscription-expiring", "2027-03-31T11:00:00Z").subject).toMatch(/1 day$/);
  });

  it("that starts a grace period says until when there is access", () => {
    const { subject, text } = emailOf("subscription-grace");
    expect(subject).toBe(
      "Your AI Trading Signals subscription has ended: renew it to keep your access",
    );
    expect(text).toContain("until 3 April 2027 at 12:00 UTC");
  });

  it("leads to the same page by the same words as the notification of it", () => {
    for (const kind of ["subscription-grace", "subscription-ended"] as const) {
      const { subject, text, html, link } = emailOf(kind);
      expect(subject).toMatch(/^Your AI Trading Signals subscription has ended/);
      expect(text).toContain(link);
      expect(link).toBe("https://app.example.com/payment?plan=pro");
      expect(html).toContain("Renew your subscription");
    }
    const { subject, html, link } = emailOf("subscription-renewed");
    expect(subject).toBe("Your AI Trading Signals subscription is renewed");
    expect(link).toBe("https://app.example.com/dashboard");
    expect(html).toContain("Open your dashboard");
  });
});
