import { ArrowUpRight, type LucideIcon, Mail, MessageCircle, Send } from "lucide-react";
import { contactSettings } from "../../lib/env.ts";
import { TextLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { quickAnswers, contactMessages as texts } from "./contact-messages.ts";

interface Channel {
  Icon: LucideIcon;
  name: string;
  hint: string;
  url: string;
}

/** The ways of contact that the operator has set up; e-mail is always one. */
export function ContactPage() {
  usePageDescription(texts.description);
  return (
    <div className="page flex flex-col gap-8 py-8 sm:py-12">
      <PageHeading title={texts.title}>{texts.lead}</PageHeading>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-10 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:gap-16">
        <Card>
          <ul className="divide-y divide-line">
            {channels().map((channel) => (
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
        {texts.answersTitle}
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

function channels(): Channel[] {
  const { whatsApp, telegram, email } = contactSettings;
  const found: Channel[] = [];
  if (whatsApp) {
    const url = whatsAppUrl(whatsApp);
    found.push({ Icon: MessageCircle, name: texts.whatsApp, hint: texts.whatsAppHint, url });
  }
  if (telegram) {
    const url = telegramUrl(telegram);
    found.push({ Icon: Send, name: texts.telegram, hint: texts.telegramHint, url });
  }
  found.push({ Icon: Mail, name: texts.email, hint: email, url: `mailto:${email}` });
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
        {isPage && <span className="sr-only">{texts.newTab}</span>}
      </span>
      <ArrowUpRight
        aria-hidden
        className="size-5 shrink-0 text-ink-faint transition-colors group-hover:text-ink"
      />
    </a>
  );
}

const isAddress = (setting: string): boolean => setting.startsWith("https://");

/** Address of a WhatsApp chat, from a phone number with country code or an address. */
export function whatsAppUrl(setting: string): string {
  if (isAddress(setting)) return setting;
  return `https://wa.me/${setting.replaceAll(/\D/g, "")}`;
}

/** Address of a Telegram chat, from a user name or an address. */
export function telegramUrl(setting: string): string {
  if (isAddress(setting)) return setting;
  return `https://t.me/${encodeURIComponent(setting.replace(/^@/, ""))}`;
}
