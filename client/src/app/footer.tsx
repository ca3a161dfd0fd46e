import { useSyncExternalStore } from "react";
import { neverChanges } from "../lib/never-changes.ts";
import { TextLink } from "../ui/text-link.tsx";
import { appTexts } from "./texts.ts";

/** What every screen ends with. */
export function Footer() {
  const year = useSyncExternalStore(neverChanges, thisYear, builtYear);
  return (
    <footer className="mt-auto border-t border-line">
      <div className="page flex flex-col gap-x-6 gap-y-4 py-8 text-sm text-ink-faint sm:flex-row sm:items-center sm:justify-between">
        <p className="figures">
          © {year} {appTexts.rights}
        </p>
        <nav aria-label={appTexts.legalNavigation} className="flex flex-wrap gap-x-6 gap-y-2">
          {legalLinks.map(({ to, label }) => (
            <TextLink key={to} to={to} className="text-ink-muted">
              {label}
            </TextLink>
          ))}
        </nav>
      </div>
    </footer>
  );
}

const thisYear = () => new Date().getFullYear();
/** The pre-rendered pages may be older than the year. */
const builtYear = () => Number(import.meta.env.VITE_BUILT_YEAR);

const legalLinks = [
  { to: "/performance", label: "Performance" },
  { to: "/ledger", label: "Ledger" },
  { to: "/privacy", label: "Privacy Policy" },
  { to: "/terms", label: "Terms of Service" },
] as const;
