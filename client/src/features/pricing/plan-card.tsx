import { FEATURED_PLAN, PLAN_FEATURES, type Plan } from "@shared/contract/plans.ts";
import { Check } from "lucide-react";
import { Link } from "react-router-dom";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { pricingTexts as texts } from "./texts.ts";

/** One plan: its price, what it gives, and the way to pay for it. */
export function PlanCard({ plan }: { plan: Plan }) {
  const isFeatured = plan === FEATURED_PLAN;
  const features = [texts.credits(plan.imageCredits), plan.support, ...PLAN_FEATURES];
  return (
    <Card
      className={`flex h-full flex-col gap-6 p-6 ${isFeatured ? "ring-2 shadow-float ring-accent" : ""}`}
    >
      <div>
        <div className="flex min-h-7 items-center justify-between gap-3">
          <h2 className="text-lg font-semibold tracking-tight">{plan.name}</h2>
          {isFeatured && (
            <p className="rounded-lg bg-accent px-2 py-0.5 text-sm font-medium text-on-accent">
              {texts.featured}
            </p>
          )}
        </div>
        <p className="figures mt-4 flex items-baseline gap-2">
          <span className="text-4xl font-semibold tracking-tight">${plan.monthlyUsd}</span>
          <span className="text-sm text-ink-muted">{texts.perMonth}</span>
        </p>
      </div>
      <ul className="flex flex-1 flex-col gap-3">
        {features.map((feature, index) => (
          <li key={feature} className="flex gap-2.5 text-sm">
            <Check aria-hidden className="size-5 shrink-0 text-accent" strokeWidth={2} />
            <span className={index < 2 ? "font-medium" : "text-ink-muted"}>{feature}</span>
          </li>
        ))}
      </ul>
      <Link
        to={`/payment?plan=${plan.id}`}
        className={buttonClass({ variant: isFeatured ? "primary" : "secondary", size: "lg" })}
      >
        {texts.choose(plan)}
      </Link>
    </Card>
  );
}
