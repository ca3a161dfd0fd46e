import { PageHeading } from "../../ui/page-heading.tsx";
import { ChangePasswordForm } from "./change-password-form.tsx";
import { EmailCard } from "./email-card.tsx";
import { NotificationsCard } from "./notifications-card.tsx";
import { accountTexts as texts } from "./texts.ts";

export function AccountPage() {
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title={texts.title}>{texts.lead}</PageHeading>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <ChangePasswordForm />
        <div className="flex flex-col gap-6">
          <EmailCard />
          <NotificationsCard />
        </div>
      </div>
    </div>
  );
}
