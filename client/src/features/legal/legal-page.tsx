import { PageHeading } from "../../ui/page-heading.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { usePageDescription } from "../../ui/use-page-description.ts";
import type { LegalDocument } from "./legal-document.ts";
import { privacyPolicy } from "./privacy-policy.ts";
import { termsOfService } from "./terms-of-service.ts";

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
        {sections.map((section) => (
          <section key={section.title} className="flex flex-col gap-3">
            <h2 className="text-xl font-semibold tracking-tight">{section.title}</h2>
            {section.paragraphs.map((paragraph) => (
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
