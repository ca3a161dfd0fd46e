import { CHART_IMAGE_DAYS } from "@shared/contract/files.ts";
import { TextLink } from "../../ui/button.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";

interface LegalDocument {
  title: string;
  lead: string;
  updated: string;
  description: string;
  sections: Record<string, readonly string[]>;
}

export const PrivacyPage = () => <LegalPage {...privacyPolicy} />;
export const TermsPage = () => <LegalPage {...termsOfService} />;

function LegalPage({ title, lead, updated, description, sections }: LegalDocument) {
  usePageDescription(description);
  return (
    <article className="page py-8 sm:py-12">
      <div className="flex max-w-3xl flex-col gap-10">
        <header className="flex flex-col gap-3">
          <PageHeading title={title}>{lead}</PageHeading>
          <p className="text-sm text-ink-faint">Last updated: {updated}</p>
        </header>
        {Object.entries(sections).map(([heading, paragraphs]) => (
          <section key={heading} className="flex flex-col gap-3">
            <h2 className="text-xl font-semibold tracking-tight">{heading}</h2>
            {paragraphs.map((paragraph) => (
              <p key={paragraph} className="leading-relaxed text-ink-muted text-pretty">
                {paragraph}
              </p>
            ))}
          </section>
        ))}
        <p className="border-t border-line pt-6 text-ink-muted">
          Questions about this text? <TextLink to="/contact">Contact us</TextLink>.
        </p>
      </div>
    </article>
  );
}

const privacyPolicy: LegalDocument = {
  title: "Privacy Policy",
  lead: "What we know about you, how we use it, and how to have it deleted.",
  updated: "1 November 2026",
  description: "What personal data AI Trading Bot keeps, what for, how long, and your rights.",
  sections: {
    "What we keep about you": [
      "Your account: username, email address, whether it is verified, your approval and your image credits. Your password is kept only as a salted hash, or by the sign-in service we use; no one can read it.",
      "Your use of the service: the signals you asked for with their settings and results, chart images you uploaded for analysis, and the payment proof you sent with the sender's name on it.",
      "For the operation of the service we keep technical records of requests, with the network address they came from, and a record of what administrators changed.",
    ],
    "What we use it for": [
      "To provide the service you signed up for, to check your subscription payment, to keep accounts safe from misuse, and to write to you about your account. We do not sell your data and do not show advertisements.",
    ],
    "Who else receives data": [
      "Artificial intelligence: market data and your signal settings, and the chart image if you add one, may be sent to the provider of the AI model for analysis. Your name and email address are not.",
      "Email: your address and our messages to you pass through our email provider.",
      "Market widgets: the home page shows widgets of TradingView. Your browser loads them from TradingView, which thereby learns your network address and may set cookies of its own. All other pages load nothing from anyone else.",
    ],
    "What is stored in your browser": [
      "While you are logged in, your browser's local storage holds three entries: your session token, whether you are approved, and whether you are an administrator. Logging out removes them. We set no tracking cookies.",
    ],
    "How long we keep it": [
      `Chart images are deleted after ${CHART_IMAGE_DAYS} days at the latest. Your signals and your payment proof are kept until you or an administrator delete them, or until your account is deleted. The record of administrators' changes is kept for a year.`,
    ],
    "Your rights": [
      "You can ask what we hold about you, have it corrected, receive a copy of it, or have it deleted together with your account. You can also complain to the data protection authority where you live.",
    ],
    Changes: [
      "When this policy changes, the date at the top changes with it. If a change affects how we use data you have already given us, we notify you by email first.",
    ],
  },
};

const termsOfService: LegalDocument = {
  title: "Terms of Service",
  lead: "The rules for using AI Trading Bot. By creating an account you agree to them.",
  updated: "1 November 2026",
  description: "The terms for using AI Trading Bot, its signals and its subscriptions.",
  sections: {
    "Signals are not financial advice": [
      "Signals, prices and metrics are information made by software. They are not advice to buy or sell anything, and they know nothing of your circumstances. Trading is risky, leverage increases the risk, and you can lose all of the money you put in.",
      "Past results do not predict future results. You alone decide whether to trade, and you alone bear the outcome.",
    ],
    "Your account": [
      "You must be of legal age where you live and give a working email address. Keep your password to yourself and contact us if someone else has used your account. One person, one account; it may not be sold or shared.",
      "New accounts are approved by an administrator, normally after the first subscription payment. We may refuse or revoke approval if these terms are broken or a payment is missing.",
    ],
    "Subscription and payment": [
      "Subscriptions run month by month at the price shown on the pricing page. You pay by one of the methods on the payment page and send proof of the payment on your dashboard. There is no automatic renewal: you pay for each month you want.",
      "Image credits are granted with your plan. One credit is used when an analysis with a chart image is accepted, and returned if no analysis comes out of it; for images that the model refuses, at most three times a day. Credits have no money value and cannot be transferred.",
      "If you believe that a payment was recorded wrongly, contact us within 30 days. Your legal rights to a refund are not affected.",
    ],
    "Fair use": [
      "Signals are for your own use. Do not resell or republish them, do not query the service by automatic means beyond what it offers, do not try to get around its limits or its protection, and upload only images that you may use.",
    ],
    "Availability and data": [
      "We work to keep the service available but cannot promise that it always is. Market data comes from third parties and may be late or wrong. Where recorded or rule-based data stands in for live data or an AI model, the service says so.",
    ],
    Liability: [
      "As far as the law allows, we are not liable for trading losses or lost profits, nor for damage caused by interruptions or by data of third parties. Nothing in these terms limits liability for intent, gross negligence, or injury to life or health.",
    ],
    Ending: [
      "You can stop using the service at any time and have your account deleted. We may close accounts that break these terms. What has been paid for the running month is returned if we close an account without such a reason.",
    ],
    Changes: [
      "When these terms change, the date at the top changes with them, and we notify you by email before a material change takes effect. Using the service after that date means that you agree.",
    ],
  },
};
