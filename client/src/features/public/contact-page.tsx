import { DEFAULT_CONTACT_EMAIL } from "@shared/contract/constants.ts";
import { ArrowUpRight, type LucideIcon, Mail, MessageCircle, Send } from "lucide-react";
import { useBrand } from "../../lib/brand.ts";
import { contactSettings } from "../../lib/env.ts";
import { TextLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";

const quickAnswers = [
  {
    question: "How do I pay?",
    answer: "The payment page lists every method we accept. Send us the proof on your dashboard.",
    link: "Payment methods",
    to: "/payment",
  },
  {
    question: "When is my account approved?",
    answer: "An administrator reviews each proof. Your dashboard shows the status of yours.",
    link: "Your dashboard",
    to: "/dashboard",
  },
  {
    question: "I forgot my password.",
    answer: "We'll send you a link to set a new one.",
    link: "Reset your password",
    to: "/forgot-password",
  },
] as const;

/** Without a value, a channel is not offered. */
interface Contact {
  email: string | undefined;
  whatsapp: string | undefined;
  telegram: string | undefined;
}

/** What administrators have entered, or else the settings that the pages were built with, but for the example. */
const contactOf = (facts: ReadonlyMap<string, string>): Contact => {
  const { email, whatsapp, telegram } = contactSettings;
  return {
    email: facts.get("contact_email") || (email === DEFAULT_CONTACT_EMAIL ? "" : email),
    whatsapp: facts.get("contact_whatsapp") || whatsapp,
    telegram: facts.get("contact_telegram") || telegram,
  };
};

interface Channel {
  Icon: LucideIcon;
  name: string;
  hint: string;
  url: string;
}

export function ContactPage() {
  const { name, facts } = useBrand();
  usePageDescription(`Contact the ${name} team.`);
  const channels = channelsOf(facts ? contactOf(facts) : contactSettings);
  return (
    <div className="page flex flex-col gap-8 py-8 sm:py-12">
      <PageHeading title="Contact">
        Questions about plans, payments or your account? Contact us and include your username. Never
        send your password.
      </PageHeading>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-10 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:gap-16">
        <Card>
          {channels.length === 0 && (
            <p className="p-5 text-ink-muted sm:p-6">
              The operator has entered no way to be contacted yet.
            </p>
          )}
          <ul className="divide-y divide-line">
            {channels.map((channel) => (
              <li key={channel.name}>
                <ChannelLink {...channel} />
              </li>
            ))}
          </ul>
        </Card>
        <QuickAnswers />
      </div>
    </div>
  );
}

function QuickAnswers() {
  return (
    <section aria-labelledby="answers" className="flex flex-col gap-6">
      <h2 id="answers" className="text-lg font-semibold tracking-tight">
        Quick answers
      </h2>
      {quickAnswers.map(({ question, answer, link, to }) => (
        <div key={question}>
          <h3 className="font-medium">{question}</h3>
          <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
            {answer} <TextLink to={to}>{link}</TextLink>
          </p>
        </div>
      ))}
    </section>
  );
}

function channelsOf({ whatsapp, telegram, email }: Contact): Channel[] {
  const found: Channel[] = [];
  if (whatsapp) {
    const url = whatsAppUrl(whatsapp);
    found.push({ Icon: MessageCircle, name: "WhatsApp", hint: "Send us a message", url });
  }
  if (telegram) {
    const url = telegramUrl(telegram);
    found.push({ Icon: Send, name: "Telegram", hint: "Chat with us", url });
  }
  if (email) found.push({ Icon: Mail, name: "Email", hint: email, url: `mailto:${email}` });
  return found;
}

function ChannelLink({ Icon, name, hint, url }: Channel) {
  const isPage = url.startsWith("https:");
  return (
    <a
      href={url}
      {...(isPage && { target: "_blank", rel: "noreferrer" })}
      className="group flex items-center gap-4 rounded-card p-5 transition-colors hover:bg-raised sm:p-6"
    >
      <Icon aria-hidden className="size-6 shrink-0 text-accent" strokeWidth={1.75} />
      <span className="min-w-0 flex-1">
        <span className="block font-semibold">{name}</span>
        <span className="block text-sm break-words text-ink-muted">{hint}</span>
        {isPage && <span className="sr-only">(opens in a new tab)</span>}
      </span>
      <ArrowUpRight
        aria-hidden
        className="size-5 shrink-0 text-ink-faint transition-colors group-hover:text-ink"
      />
    </a>
  );
}

const isAddress = (setting: string): boolean => setting.startsWith("https://");

export function whatsAppUrl(setting: string): string {
  if (isAddress(setting)) return setting;
  return `https://wa.me/${setting.replaceAll(/\D/g, "")}`;
}

export function telegramUrl(setting: string): string {
  if (isAddress(setting)) return setting;
  return `https://t.me/${encodeURIComponent(setting.replace(/^@/, ""))}`;
}
