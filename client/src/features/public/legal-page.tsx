import {
  CHART_IMAGE_DAYS,
  DELIVERY_RETENTION_DAYS,
  EVENT_RETENTION_DAYS,
  KNOWN_NETWORK_DAYS,
  PROOF_FINGERPRINT_DAYS,
  SECURITY_LOG_DAYS,
  SESSION_IDLE_HOURS,
  SESSION_LIFETIME_DAYS,
} from "@shared/contract/constants.ts";

import { useBrand } from "../../lib/brand.ts";
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
  const { name } = useBrand();
  usePageDescription(description);
  return (
    <article className="page py-8 sm:py-12">
      <div className="flex max-w-3xl flex-col gap-10">
        <header className="flex flex-col gap-3">
          <PageHeading title={title}>{lead.replace("AI Trading Bot", name)}</PageHeading>
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
  lead: "What we know about you, how we use it, and how to get or delete it.",
  updated: "23 November 2026",
  description: "What personal data AI Trading Bot keeps, what for, how long, and your rights.",
  sections: {
    "What we keep about you, and how long": [
      "Account: your username, email address, role, approval and image credits, until you delete your account. Your password is kept only as a salted hash, or by the sign-in service we use. With two-factor authentication, we keep its key encrypted, and hashes of your recovery codes.",
      `Sessions: when and with which browser you signed in, and a hash of your network. A session ends ${SESSION_IDLE_HOURS} hours after its last use, and at most ${SESSION_LIFETIME_DAYS} days after the sign-in. Your newer sign-ins replace its record. We keep the hashes of the networks of your last sign-ins, at most 100, so that attempts from elsewhere cannot keep you from signing in; each counts for ${KNOWN_NETWORK_DAYS} days.`,
      "Signals: what you asked for, with your amount, risk and leverage, and the results. They are kept until an administrator clears your history or you delete your account.",
      "Watchlist: the markets you watch, with your minimum confidence, amount, risk and leverage for each, until you remove them or delete your account.",
      `Channels: where we send you messages outside the app (your email address, your Telegram chat, the push address of your browser, or the address of your webhook), your choice of events, your quiet hours and whether messages go to another channel, until you delete the channel or your account. Addresses and secrets are encrypted. What was sent is listed for ${DELIVERY_RETENTION_DAYS} days.`,
      "Subscription: its plan, times and payments, until you delete your account.",
      `Chart images: at most ${CHART_IMAGE_DAYS} days.`,
      `Payment proof: the image, the sender's name, the plan and the transaction hash, until an administrator deletes it or you delete your account. A proof that did not pay for a subscription is deleted when you replace it. The hash and a fingerprint of the image are kept for ${PROOF_FINGERPRINT_DAYS} more days, to recognize a receipt that is used twice. The image cannot be restored from it.`,
      `Events: a copy of what your open pages are notified of, and administrators of your account, for ${EVENT_RETENTION_DAYS} days.`,
      `Security log: sign-ins, changes of accounts and actions of administrators, with username, network address and browser. Its entries are kept for ${SECURITY_LOG_DAYS} days, also after you delete your account.`,
      "Technical records: the time, path and result of each request, with the internal number of your account. They and our backups are replaced by newer ones regularly.",
    ],
    "What we use it for": [
      "To provide the service you signed up for, to check your subscription payment, and to write to you about your account.",
      "To keep accounts and payments safe from misuse, which is our legitimate interest: sessions, fingerprints and transaction hashes of proofs, and the security log.",
      "We do not sell your data, make profiles of you, or show advertisements.",
    ],
    "Who else receives data": [
      "Artificial intelligence: the provider of the AI model receives market data, and your chart image if you add one. It does not receive your name, email address, amount, risk or leverage.",
      "Email: your address, your username and our messages to you pass through our email provider. If we use a sign-in service (Google Firebase), it keeps your email address and password and sends these emails.",
      "Channels, only if you add them: Telegram, the push service of your browser's maker, or the receiver of your webhook gets the messages that you choose. The push service cannot read them.",
      "TradingView: the home page, the bot and the signal pages show charts that your browser loads from TradingView. It learns your network address, your browser and which market you look at, and may set cookies of its own.",
      "Market data: exchanges and other sources receive the symbols that are analyzed or watched, and nothing about you.",
      "Administrators of this service see your account, payment proof and chart images.",
      "Anyone with a link that you create to share a signal sees that signal, without your name, amounts and images, until you end the link or it expires.",
    ],
    "What is not about you": [
      "Market analyses, their outcomes, the performance statistics and the public ledger belong to markets. They contain nothing about users and stay when an account is deleted.",
    ],
    "What is stored in your browser": [
      "While you are logged in, local storage holds your session token, whether you are approved, and whether you are an administrator. Your last 20 signals are kept for when you are offline. Logging out removes all of them. The browser also keeps your theme, your notification settings, its own push channel, which notifications you have seen, your recent symbols, what you last entered on the bot page and the last ledger head that you verified. We set no cookies, except one for administrators who open the job queue.",
    ],
    "Your rights": [
      "Download my data, in the User Panel, gives you a copy of what is stored about you as a JSON file.",
      "Delete my account, in the User Panel, deletes your account with your sessions, signals, watchlist, channels, images, credits and payment proof immediately. What remains for the time stated above: the fingerprint and transaction hash of your proof without your name, the security log, events to administrators, technical records and backups. The last administrator cannot delete their account.",
      "Contact us to correct your data or if you object to how we use it. You can also complain to the data protection authority where you live.",
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
      "You can stop using the service at any time and delete your account in the User Panel. We may close accounts that break these terms. What has been paid for the running month is returned if we close an account without such a reason.",
    ],
    Changes: [
      "When these terms change, the date at the top changes with them, and we notify you by email before a material change takes effect. Using the service after that date means that you agree.",
    ],
  },
};
