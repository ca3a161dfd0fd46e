import { PLANS } from "@shared/contract/plans.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { usePageDescription } from "../../ui/use-page-description.ts";
import { PlanCard } from "./plan-card.tsx";
import { pricingSteps, pricingTexts as texts } from "./texts.ts";

export function PricingPage() {
  usePageDescription(texts.description);
  return (
    <div className="page flex flex-col gap-8 py-8 sm:py-12">
      <PageHeading title={texts.title}>{texts.lead}</PageHeading>
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {PLANS.map((plan) => (
          <li key={plan.id}>
            <PlanCard plan={plan} />
          </li>
        ))}
      </ul>
      <p className="text-sm text-ink-muted">{texts.creditsNote}</p>
      <HowToSubscribe />
    </div>
  );
}

function HowToSubscribe() {
  return (
    <section aria-labelledby="steps" className="border-t border-line pt-10">
      <h2 id="steps" className="text-xl font-semibold tracking-tight sm:text-2xl">
        {texts.stepsTitle}
      </h2>
      <ol className="mt-6 grid gap-6 md:grid-cols-3 md:gap-8">
        {pricingSteps.map(({ title, text }, index) => (
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
