import type { LegalDocument } from "./legal-document.ts";

export const termsOfService: LegalDocument = {
  title: "Terms of Service",
  lead: "The rules for using AI Trading Bot. By creating an account you agree to them.",
  updated: "1 November 2026",
  description: "The terms for using AI Trading Bot, its signals and its subscriptions.",
  sections: [
    {
      title: "Signals are not financial advice",
      paragraphs: [
        "Signals, prices and figures are information made by software. They are not advice to buy or sell anything, and they know nothing of your circumstances. Trading is risky, leverage increases the risk, and you can lose all of the money you put in.",
        "Past results do not predict future results. You alone decide whether to trade, and you alone bear the outcome.",
      ],
    },
    {
      title: "Your account",
      paragraphs: [
        "You must be of legal age where you live and give a working e-mail address. Keep your password to yourself and tell us if somebody else has used your account. One person, one account; it may not be sold or shared.",
        "New accounts are approved by an administrator, normally after the first subscription payment. We may refuse or withdraw approval where these terms are broken or a payment is missing.",
      ],
    },
    {
      title: "Subscription and payment",
      paragraphs: [
        "Subscriptions run month by month at the price shown on the pricing page. You pay by one of the methods on the payment page and send proof of the payment on your dashboard. There is no automatic renewal: you pay for each month you want.",
        "Image credits are granted with your plan. One credit is used when an analysis with a chart image is accepted, and returned if no analysis comes out of it; for images that the model refuses, at most three times a day. Credits have no money value and cannot be transferred.",
        "If you believe that a payment was recorded wrongly, contact us within 30 days. Your legal rights to a refund are not affected.",
      ],
    },
    {
      title: "Fair use",
      paragraphs: [
        "Signals are for your own use. Do not resell or republish them, do not query the service by automatic means beyond what it offers, do not try to get around its limits or its protection, and upload only images that you may use.",
      ],
    },
    {
      title: "Availability and data",
      paragraphs: [
        "We work to keep the service available but cannot promise that it always is. Market data comes from third parties and may be late or wrong. Where recorded or rule-based data stands in for live data or an AI model, the service says so.",
      ],
    },
    {
      title: "Liability",
      paragraphs: [
        "As far as the law allows, we are not liable for trading losses or lost profits, nor for damage caused by interruptions or by data of third parties. Nothing in these terms limits liability for intent, gross negligence, or injury to life or health.",
      ],
    },
    {
      title: "Ending",
      paragraphs: [
        "You can stop using the service at any time and have your account deleted. We may close accounts that break these terms. What has been paid for the running month is returned if we close an account without such a reason.",
      ],
    },
    {
      title: "Changes",
      paragraphs: [
        "When these terms change, the date at the top changes with them, and we tell you by e-mail before a change that matters takes effect. Using the service after that date means that you agree.",
      ],
    },
  ],
};
