import { useEffect, useMemo, useState } from "react";
import { Link } from "react-router-dom";
import { Skeleton } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { AdminSection, sectionTitles } from "./admin-section.tsx";
import {
  clearAllHistory,
  reasonOf,
  runAction,
  useChartImages,
  useHealth,
  useUsers,
} from "./api.ts";
import { useAdminSync } from "./apply-admin-event.ts";
import { HealthSection, healthStatuses, summarizeHealth } from "./health-section.tsx";
import { ImagesSection } from "./images-section.tsx";
import { PaymentSection } from "./payment-section.tsx";
import { UsageSection } from "./usage-section.tsx";
import { countUsers, UsersSection } from "./users/users-section.tsx";

export function AdminPage() {
  useAdminSync();
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title="Admin">Manage users, payment details and uploads.</PageHeading>
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
        </div>
      </div>
    </div>
  );
}

const sections = Object.entries(sectionTitles);

function HealthMark() {
  const { data } = useHealth();
  if (!data) return null;
  const { status } = summarizeHealth(data);
  if (status === "ok") return null;
  const { label, Icon, color } = healthStatuses[status];
  return <Icon role="img" aria-label={label} className={`ml-2 inline size-4 ${color}`} />;
}

const sectionLink =
  "block rounded-lg px-3 py-2 text-sm font-medium whitespace-nowrap text-ink-muted transition-colors hover:text-ink aria-[current=location]:bg-raised aria-[current=location]:text-ink";

function SectionNav() {
  const current = useSectionInView();
  return (
    <nav
      aria-label="Sections"
      className="sticky top-16 z-20 -mx-4 overflow-x-auto border-b border-line bg-canvas/90 px-4 backdrop-blur-md sm:-mx-6 sm:px-6 lg:top-24 lg:mx-0 lg:border-0 lg:bg-transparent lg:p-0 lg:backdrop-blur-none"
    >
      <ul className="flex gap-1 py-2 lg:flex-col lg:py-0">
        {sections.map(([id, title]) => (
          <li key={id}>
            <Link
              to={`#${id}`}
              aria-current={id === current ? "location" : undefined}
              className={sectionLink}
            >
              {title}
              {id === "health" && <HealthMark />}
            </Link>
          </li>
        ))}
        <li>
          <Link to="/security-log" className={sectionLink}>
            Security log
          </Link>
        </li>
      </ul>
    </nav>
  );
}

/** A section is current while it crosses this line in the upper part of the window. */
const READING_LINE = "-30% 0px -69% 0px";

/** Id of the section in view. */
function useSectionInView(): string | undefined {
  const [current, setCurrent] = useState(sections[0]?.[0]);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const entered = entries.find((entry) => entry.isIntersecting);
        if (entered) setCurrent(entered.target.id);
      },
      { rootMargin: READING_LINE },
    );
    for (const [id] of sections) {
      const section = document.getElementById(id);
      if (section) observer.observe(section);
    }
    return () => observer.disconnect();
  }, []);
  return current;
}

function AdminStats() {
  const users = useUsers();
  const images = useChartImages();
  const list = users.data?.users;
  const counts = useMemo(() => list && countUsers(list), [list]);
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line lg:grid-cols-4">
      <Stat label="Users" value={counts?.all} failed={users.isError} />
      <Stat label="Pending approval" value={counts?.pending} failed={users.isError} highlight />
      <Stat label="With payment proof" value={counts?.proof} failed={users.isError} />
      <Stat label="Chart images" value={images.data?.images.length} failed={images.isError} />
    </dl>
  );
}

interface StatProps {
  label: string;
  value: number | undefined;
  failed: boolean;
  highlight?: boolean;
}

function Stat({ label, value, failed, highlight = false }: StatProps) {
  const tone = highlight && value ? "text-wait" : "";
  return (
    <div className="bg-surface px-4 py-4 sm:px-5">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd className={`figures mt-1 text-2xl font-semibold tracking-tight ${tone}`}>
        {value ?? (failed ? "–" : <Skeleton className="h-8 w-12" />)}
      </dd>
    </div>
  );
}

function HistorySection() {
  return (
    <AdminSection
      id="history"
      lead="Deletes the finished signals of all users. To clear one user's history, use that user's card."
    >
      <div>
        <ConfirmButton
          label="Clear all history"
          title="Clear the signal history of all users?"
          run={() => runAction(clearAllHistory())}
          failureText={(error) => `Failed to clear all signal history. Error: ${reasonOf(error)}`}
        >
          Every finished signal of every user is deleted, with outcomes and chart images. Accounts
          and credits are kept. This cannot be undone.
        </ConfirmButton>
      </div>
    </AdminSection>
  );
}
