import { FEATURED_PLAN_ID, type Plan } from "@shared/contract/plans.ts";
import { Check, Minus } from "lucide-react";
import { Link } from "react-router-dom";
import { usePlans } from "../../domain/plans.ts";
import { formatCount } from "../../lib/format.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { useReadsImages } from "./reads-images.ts";

const PLAN_FEATURES = [
  "Real-time signals",
  "All markets",
  "Unlimited signal requests",
  "Full history",
];

const steps = {
  "Choose a plan and pay":
    "Choose the plan that fits you and pay with a method on the payment page.",
  "Send your payment proof": "Upload a screenshot or photo of the payment on your dashboard.",
  "Start trading on signals":
    "An administrator reviews the proof. You can use the bot as soon as you are approved.",
};

export function PricingPage() {
  const plans = usePlans();
  const lowest = Math.min(...plans.map(({ monthlyUsd }) => monthlyUsd));
  usePageDescription(
    `Plans for AI trading signals from $${lowest} a month: real-time signals, all markets, unlimited requests and full history in each.`,
  );
  const readsImages = useReadsImages();
  return (
    <div className="page flex flex-col gap-8 py-8 sm:py-12">
      <PageHeading title="Pricing">
        One monthly subscription, every market and every signal. Plans differ in image credits and
        support.
      </PageHeading>
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {plans.map((plan) => (
          <li key={plan.id}>
            <PlanCard plan={plan} readsImages={readsImages} />
          </li>
        ))}
      </ul>
      {/* As high as its longer text, so that nothing moves once it is known. */}
      <p className="min-h-15 text-sm text-ink-muted sm:min-h-5">
        {readsImages
          ? "Each chart image analysis uses one image credit. Signals without an image use none."
          : "Image credits are not in use: fixed rules make the signals here, and no AI model reads chart images yet."}
      </p>
      <HowToSubscribe />
    </div>
  );
}

function HowToSubscribe() {
  return (
    <section aria-labelledby="steps" className="border-t border-line pt-10">
      <h2 id="steps" className="text-xl font-semibold tracking-tight sm:text-2xl">
        How to subscribe
      </h2>
      <ol className="mt-6 grid gap-6 md:grid-cols-3 md:gap-8">
        {Object.entries(steps).map(([title, text], index) => (
          <li key={title} className="flex gap-4">
            <span
              aria-hidden
              className="figures flex size-8 shrink-0 items-center justify-center rounded-full border border-line-strong text-sm font-medium text-ink-muted"
            >
              {index + 1}
            </span>
            <div>
              <h3 className="pt-1 font-semibold">{title}</h3>
              <p className="mt-1 leading-relaxed text-ink-muted text-pretty">{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

const Included = () => (
  <Check aria-hidden className="size-5 shrink-0 text-accent" strokeWidth={2} />
);

function PlanCard({ plan, readsImages }: { plan: Plan; readsImages: boolean }) {
  const isFeatured = plan.id === FEATURED_PLAN_ID;
  const features = [plan.support, ...PLAN_FEATURES];
  return (
    <Card
      className={`flex h-full flex-col gap-6 p-6 ${isFeatured ? "ring-2 shadow-float ring-accent" : ""}`}
    >
      <div>
        <div className="flex min-h-7 items-center justify-between gap-3">
          <h2 className="text-lg font-semibold tracking-tight">{plan.name}</h2>
          {isFeatured && (
            <p className="rounded-lg bg-accent px-2 py-0.5 text-sm font-medium text-on-accent">
              Recommended
            </p>
          )}
        </div>
        <p className="figures mt-4 flex items-baseline gap-2">
          <span className="text-4xl font-semibold tracking-tight">
            ${formatCount(plan.monthlyUsd)}
          </span>
          <span className="text-sm text-ink-muted">per month</span>
        </p>
      </div>
      <ul className="flex flex-1 flex-col gap-3">
        <li className="flex gap-2.5 text-sm">
          {readsImages ? <Included /> : <Minus aria-hidden className="size-5 shrink-0" />}
          <span className={readsImages ? "font-medium" : "text-ink-muted"}>
            {formatCount(plan.imageCredits)} image credits{!readsImages && " (not in use)"}
          </span>
        </li>
        {features.map((feature, index) => (
          <li key={feature} className="flex gap-2.5 text-sm">
            <Included />
            <span className={index < 1 ? "font-medium" : "text-ink-muted"}>{feature}</span>
          </li>
        ))}
      </ul>
      <Link
        to={`/payment?plan=${plan.id}`}
        className={buttonClass({ variant: isFeatured ? "primary" : "secondary", size: "lg" })}
      >
        Choose {plan.name}
      </Link>
    </Card>
  );
}
