import { type ComponentType, Fragment, type ReactNode, useState } from "react";
import {
  Link,
  Navigate,
  Outlet,
  type RouteObject,
  useLocation,
  useRouteError,
} from "react-router-dom";
import { BotFrame } from "../features/bot/bot-frame.tsx";
import { useRealtime } from "../lib/realtime/store.ts";
import { useSession } from "../lib/session.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Skeleton } from "../ui/card.tsx";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { usePageTitle } from "../ui/page-heading.tsx";
import { Layout } from "./layout.tsx";

/** A screen in a chunk of its own, loaded on the first visit. */
const screen = <Name extends string>(
  path: string,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): RouteObject => {
  // The router loads a screen once only; this loads it again in its place, below the navigation.
  const lazy = async (): Promise<{ Component: ComponentType }> => ({
    Component: (await load())[name],
  });
  const Retried = lazyComponent(lazy, "Component", { fallback: <ScreenSkeleton /> });
  return { errorElement: <Retried />, children: [{ path, lazy }] };
};

const publicScreens = [
  screen("/", () => import("../features/public/home-page.tsx"), "HomePage"),
  screen("/login", () => import("../features/auth/auth-page.tsx"), "LoginPage"),
  screen("/register", () => import("../features/auth/auth-page.tsx"), "RegisterPage"),
  screen("/pricing", () => import("../features/payments/pricing-page.tsx"), "PricingPage"),
  screen("/payment", () => import("../features/payments/payment-page.tsx"), "PaymentPage"),
  screen("/contact", () => import("../features/public/contact-page.tsx"), "ContactPage"),
  screen(
    "/performance",
    () => import("../features/performance/performance-page.tsx"),
    "PerformancePage",
  ),
  screen("/analyst", () => import("../features/performance/analyst-page.tsx"), "AnalystPage"),
  screen("/ledger", () => import("../features/ledger/ledger-page.tsx"), "LedgerPage"),
  screen("/privacy", () => import("../features/public/legal-page.tsx"), "PrivacyPage"),
  screen("/terms", () => import("../features/public/legal-page.tsx"), "TermsPage"),
  screen(
    "/forgot-password",
    () => import("../features/auth/password-pages.tsx"),
    "ForgotPasswordPage",
  ),
  screen(
    "/reset-password",
    () => import("../features/auth/password-pages.tsx"),
    "ResetPasswordPage",
  ),
  screen(
    "/verify-email",
    () => import("../features/account/email-link-pages.tsx"),
    "VerifyEmailPage",
  ),
  screen("/offline", () => import("../features/history/offline-page.tsx"), "OfflinePage"),
  screen(
    "/unsubscribe",
    () => import("../features/account/email-link-pages.tsx"),
    "UnsubscribePage",
  ),
  screen("/shared/:token", () => import("../features/signals/shared-page.tsx"), "SharedPage"),
];

const memberScreens = [
  screen("/dashboard", () => import("./dashboard-page.tsx"), "DashboardPage"),
  screen("/user-panel", () => import("./user-panel-page.tsx"), "UserPanelPage"),
];

const approvedScreens = [
  screen("/bot", () => import("../features/bot/bot-page.tsx"), "BotPage"),
  screen("/watchlist", () => import("../features/watchlist/watchlist-page.tsx"), "WatchlistPage"),
  screen("/signal-history", () => import("../features/history/history-page.tsx"), "HistoryPage"),
  screen("/results", () => import("../features/results/results-page.tsx"), "ResultsPage"),
  screen("/signals/:id", () => import("../features/signals/signal-page.tsx"), "SignalPage"),
];

const loadAdmin = () => import("../features/admin/admin-pages.tsx");

const adminScreens = [
  screen("/admin", loadAdmin, "OverviewPage"),
  screen("/admin/users", loadAdmin, "UsersPage"),
  screen("/admin/payments", loadAdmin, "PaymentsPage"),
  screen("/admin/branding", loadAdmin, "BrandingPage"),
  screen("/admin/images", loadAdmin, "ImagesPage"),
  screen("/admin/system", loadAdmin, "SystemPage"),
  screen("/admin/audit", loadAdmin, "AuditPage"),
  screen("/security-log", loadAdmin, "SecurityLogRedirect"),
];

const screens: RouteObject[] = [
  ...publicScreens,
  {
    element: <RequireSession />,
    children: [
      ...memberScreens,
      { element: <RequireApproval />, children: approvedScreens },
      { element: <RequireAdmin />, children: adminScreens },
    ],
  },
  { path: "*", element: <NotFoundPage /> },
];

export const routes: RouteObject[] = [
  {
    element: <Layout />,
    errorElement: (
      <main>
        <ErrorPage />
      </main>
    ),
    hydrateFallbackElement: <Layout loading={<PageSkeleton />} />,
    children: [{ errorElement: <ErrorPage />, children: screens }],
  },
];

/** Another user's sign-in remounts everything below, so that no screen keeps the data of the previous user. */
function RequireSession() {
  const { pathname, search, hash, state } = useLocation();
  const token = useSession((session) => session.token);
  const loggedOut = useSession((session) => session.endedBy === "logged-out");
  const [cameSignedIn] = useState(token !== null);
  if (token === null && cameSignedIn && loggedOut) return <Navigate to="/" replace />;
  if (token === null) {
    return (
      <Navigate to="/login" replace state={{ ...state, from: `${pathname}${search}${hash}` }} />
    );
  }
  return (
    <Fragment key={token}>
      <Outlet />
    </Fragment>
  );
}

const NoAccess = lazyComponent(() => import("../features/payments/no-access.tsx"), "NoAccess", {
  fallback: <ScreenSkeleton />,
});

function RequireApproval() {
  const approved = useSession((session) => session.approved);
  // The account says why.
  const isKnown = useRealtime((live) => live.ready);
  if (approved) return <Outlet />;
  return isKnown ? <NoAccess /> : <ScreenSkeleton />;
}

function RequireAdmin() {
  const isAdmin = useSession((session) => session.isAdmin);
  const mustEnrol = useSession((session) => session.mustEnrol);
  if (mustEnrol) return <Navigate to="/user-panel" replace />;
  return isAdmin ? <Outlet /> : <Navigate to="/dashboard" replace />;
}

function PageSkeleton() {
  const { pathname } = useLocation();
  if (pathname === "/bot") {
    return (
      <div className="early-unapproved:invisible">
        <BotFrame />
      </div>
    );
  }
  return <ScreenSkeleton />;
}

function ScreenSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="page flex flex-col gap-6 py-10">
      <Skeleton className="h-9 w-56" />
      <Skeleton className="h-5 w-80 max-w-full" />
      {/* On a phone, most screens are longer than the view: the footer must not show first and move away. */}
      <Skeleton className="h-160 w-full rounded-card lg:h-72" />
    </div>
  );
}

interface MessagePageProps {
  title: string;
  text: string;
  children: ReactNode;
}

function MessagePage({ title, text, children }: MessagePageProps) {
  usePageTitle(title);
  return (
    <div className="page flex flex-col items-center gap-5 py-24 text-center sm:py-32">
      <h1 className="text-3xl font-semibold tracking-tight">{title}</h1>
      <p className="max-w-md text-ink-muted text-pretty">{text}</p>
      {children}
    </div>
  );
}

function NotFoundPage() {
  return (
    <MessagePage
      title="Page not found"
      text="We couldn't find this page. Check the URL or go to the home page."
    >
      <Link to="/" className={buttonClass()}>
        Go to the home page
      </Link>
    </MessagePage>
  );
}

function ErrorPage() {
  const error = useRouteError();
  return (
    <MessagePage
      title="Something went wrong"
      text="We couldn't load this page. Reload it to try again."
    >
      <Button onClick={() => window.location.reload()}>Reload page</Button>
      {error instanceof Error && (
        <details className="max-w-xl text-sm text-ink-faint">
          <summary className="cursor-pointer">Technical details</summary>
          <code className="mt-2 block break-words">{error.message}</code>
        </details>
      )}
    </MessagePage>
  );
}
