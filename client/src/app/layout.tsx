import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { type Location, Outlet, ScrollRestoration, useLocation } from "react-router-dom";
import { useBrand } from "../lib/brand.ts";
import { noopSubscribe, useHydrated } from "../lib/hydration.ts";
import { useSession } from "../lib/session.ts";
import { TextLink } from "../ui/button.tsx";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { Navbar } from "./navbar.tsx";

const Branding = lazyComponent(() => import("./look.tsx"), "Branding");

/** Kept out of the first load of visitors. */
export const SignedIn = lazyComponent(() => import("./signed-in.tsx"), "SignedIn", {
  isSilent: true,
});

/**
 * The navigation and the screen below it. The navigation stays mounted when the first screen has loaded, so that no click on
 * it is lost.
 * @param loading shown in place of the first screen until its code has loaded
 */
export function Layout({ loading }: { loading?: ReactNode }) {
  return (
    <>
      <a
        href="#main"
        className="sr-only rounded-control bg-accent px-4 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50"
      >
        Skip to content
      </a>
      <Navbar />
      {loading ?? <Content />}
    </>
  );
}

function Content() {
  const token = useSession((session) => session.token);
  useEffect(takeOver, []);
  return (
    <>
      {token !== null && <SignedIn key={token} token={token} />}
      {useHydrated() && <Branding />}
      <Main />
      <Footer />
      <ScrollRestoration getKey={scrollKey} />
    </>
  );
}

/** From here on the session decides what is shown; until then `public/theme-init.js` does. */
function takeOver(): void {
  delete document.documentElement.dataset.early;
}

/** The first entry of every visit has the same key. Without the path, one page would open where another was left. */
const scrollKey = ({ key, pathname }: Location) => (key === "default" ? pathname : key);

/** Takes the focus when the route changes, so that keyboards and screen readers start at the new screen. */
function Main() {
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <main ref={main} id="main" tabIndex={-1} className="min-h-[calc(100dvh-4rem)]">
      <Outlet />
    </main>
  );
}

function Footer() {
  const year = useSyncExternalStore(noopSubscribe, thisYear, builtYear);
  return (
    <footer className="mt-auto border-t border-line">
      <div className="page flex flex-col gap-x-6 gap-y-4 py-8 text-sm text-ink-faint sm:flex-row sm:items-center sm:justify-between">
        <div className="flex flex-col gap-1">
          <p className="figures">
            © {year} {useBrand().name}. All Rights Reserved.
          </p>
          <p>
            <span>Signals are not financial advice.</span>{" "}
            <span>Past performance is not indicative of future results.</span>
          </p>
        </div>
        <nav aria-label="Legal" className="flex flex-wrap gap-x-6 gap-y-2">
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
/** Pre-rendered pages may be older than the year. */
const builtYear = () => Number(import.meta.env.VITE_BUILT_YEAR);

const legalLinks = [
  { to: "/performance", label: "Performance" },
  { to: "/ledger", label: "Ledger" },
  { to: "/privacy", label: "Privacy Policy" },
  { to: "/terms", label: "Terms of Service" },
] as const;
