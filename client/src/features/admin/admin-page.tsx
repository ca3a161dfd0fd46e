import { PageHeading } from "../../ui/page-heading.tsx";
import { AdminStats } from "./admin-stats.tsx";
import { AuditSection } from "./audit-section.tsx";
import { HealthSection } from "./health-section.tsx";
import { HistorySection } from "./history-section.tsx";
import { ImagesSection } from "./images-section.tsx";
import { PaymentSection } from "./payment-section.tsx";
import { SectionNav } from "./section-nav.tsx";
import { adminTexts as texts } from "./texts.ts";
import { UsageSection } from "./usage-section.tsx";
import { useAdminSync } from "./use-admin-sync.ts";
import { UsersSection } from "./users-section.tsx";

export function AdminPage() {
  useAdminSync();
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title={texts.title}>{texts.lead}</PageHeading>
      <AdminStats />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[11rem_minmax(0,1fr)] lg:gap-8">
        <SectionNav />
        <div className="flex flex-col gap-14">
          <UsersSection />
          <HealthSection />
          <PaymentSection />
          <ImagesSection />
          <HistorySection />
          <UsageSection />
          <AuditSection />
        </div>
      </div>
    </div>
  );
}
