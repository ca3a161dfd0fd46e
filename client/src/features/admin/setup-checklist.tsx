import type { Setup } from "@shared/contract/admin.ts";
import { Circle, CircleCheck } from "lucide-react";
import { useState } from "react";
import { Button, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-states.tsx";
import { AdminSection } from "./admin-section.tsx";
import { useSetup } from "./api.ts";

interface Step<Name extends keyof Setup> {
  name: Name;
  title: string;
  texts: Record<Setup[Name], string>;
  link?: { to: string; label: string };
}
type AnyStep = { [Name in keyof Setup]: Step<Name> }[keyof Setup];

const NO_WORKER = "No worker is running, so no signals are made.";

const steps: AnyStep[] = [
  {
    name: "payment_details",
    title: "Payment details",
    texts: {
      done: "Customers see how to pay on the payment page.",
      missing: "Customers cannot see how to pay yet.",
    },
    link: { to: "/admin/payments", label: "Enter the payment details" },
  },
  {
    name: "contact",
    title: "Contact",
    texts: {
      done: "Visitors see how to reach you on the contact page.",
      missing: "Visitors cannot reach you yet: the contact page has no address of yours.",
    },
    link: { to: "/admin/branding", label: "Enter a contact" },
  },
  {
    name: "analyst",
    title: "AI provider",
    texts: {
      done: "The workers have a key and use the AI analyst.",
      "no-key":
        "OPENAI_API_KEY is not set, so the rule-based analyst makes the signals and reads no images. The pricing page says that image credits are not in use.",
      "no-worker": NO_WORKER,
    },
  },
  {
    name: "market_data",
    title: "Market data providers",
    texts: {
      done: "Live market data arrives.",
      "demo-data":
        "Signals use recorded candles. Set MARKET_DATA to live, and OANDA_TOKEN for forex, metals, indices and oil.",
      failing: "A provider is failing.",
      "no-worker": NO_WORKER,
    },
    link: { to: "/admin/system", label: "See the providers" },
  },
  {
    name: "email",
    title: "Email",
    texts: {
      done: "The mail server accepts connections.",
      "no-server": "SMTP_URL is not set, so emails are written to files and not sent.",
      unreachable: "The mail server cannot be reached. Check SMTP_URL.",
    },
  },
  {
    name: "two_factor",
    title: "Second factor",
    texts: {
      done: "Your sign-in needs a code from your authenticator app.",
      off: "Your account is protected by its password only.",
    },
    link: { to: "/user-panel", label: "Turn on two-factor authentication" },
  },
];

const countDone = (setup: Setup) => steps.filter(({ name }) => setup[name] === "done").length;

/** The administrator's choice in this browser; without one, the checklist is shown until it is complete. */
const KEY = "adminSetup";

export function SetupChecklist() {
  const { data, error, refetch } = useSetup();
  const [choice, setChoice] = useState(() => localStorage.getItem(KEY));
  const choose = (next: "shown" | "hidden" | "complete") => {
    localStorage.setItem(KEY, next);
    setChoice(next);
  };
  const done = data ? countDone(data) : 0;
  const isComplete = done === steps.length;
  // The next visit reserves no space for it.
  if (isComplete && choice === null) choose("complete");
  const isHidden = choice === "hidden" || (choice === "complete" && (isComplete || !data));
  if (error && !data) {
    return <LoadError title="Failed to load the setup." error={error} onRetry={refetch} />;
  }
  if (isHidden) {
    return (
      <Button
        variant="ghost"
        size="sm"
        onClick={() => choose("shown")}
        className="-my-4 -ml-3 self-start"
      >
        Show setup {data && `(${done} of ${steps.length} done)`}
      </Button>
    );
  }
  return (
    <AdminSection
      id="setup"
      title="Setup"
      lead={data ? `${done} of ${steps.length} steps are done.` : "Checking the steps."}
      action={
        <Button variant="ghost" size="sm" onClick={() => choose("hidden")}>
          Hide setup
        </Button>
      }
    >
      <Card>
        <ol className="divide-y divide-line">
          {steps.map((step) => (
            <SetupStep key={step.name} step={step} setup={data} />
          ))}
        </ol>
      </Card>
    </AdminSection>
  );
}

function SetupStep({ step, setup }: { step: AnyStep; setup: Setup | undefined }) {
  const { name, title, link } = step;
  const texts: Record<string, string> = step.texts;
  const isDone = setup?.[name] === "done";
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <li className="flex gap-3 px-4 py-3 text-sm">
      <Icon
        aria-hidden
        className={`mt-0.5 size-4.5 shrink-0 ${isDone ? "text-buy" : "text-ink-faint"}`}
      />
      <div className="min-w-0 flex-1 gap-x-6 sm:flex sm:items-baseline">
        <p className="font-medium sm:w-48 sm:shrink-0">
          {title}
          {setup && <span className="sr-only">{isDone ? ": done" : ": to do"}</span>}
        </p>
        <div className="min-w-0 flex-1 text-ink-muted text-pretty wrap-anywhere">
          {setup ? texts[setup[name]] : <TextSkeleton texts={Object.values(texts)} />}
        </div>
        {!isDone && link && (
          <span className={setup ? "" : "invisible"}>
            <TextLink to={link.to}>{link.label}</TextLink>
          </span>
        )}
      </div>
    </li>
  );
}

/** As high as the longest of the texts. */
function TextSkeleton({ texts }: { texts: string[] }) {
  const longest = texts.toSorted((a, b) => b.length - a.length)[0];
  return (
    <div aria-hidden className="relative">
      <span className="invisible">{longest}</span>
      <Skeleton className="absolute inset-x-0 inset-y-0.5 max-w-sm" />
    </div>
  );
}

/** Leads an administrator from the dashboard to the checklist until it is complete. */
export function SetupProgress() {
  const { data } = useSetup();
  if (!data || countDone(data) === steps.length) return null;
  return (
    <p className="text-sm text-wait">
      Setup: {countDone(data)} of {steps.length} steps are done.
    </p>
  );
}
