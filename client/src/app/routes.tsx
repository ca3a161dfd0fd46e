import { type ComponentType, Fragment, useState } from "react";
import { Navigate, Outlet, type RouteObject, useLocation } from "react-router-dom";
import { BotFrame } from "../features/signals/bot-frame.tsx";
import { yieldToMain } from "../lib/hydration.ts";
import { useSession } from "../lib/session.ts";
import { Skeleton } from "../ui/card.tsx";
import { ErrorPage, NotFoundPage } from "./error-pages.tsx";
import { Layout, LayoutFrame } from "./layout.tsx";

/** A screen in a chunk of its own, loaded on the first visit. */
const screen = <Name extends string>(
  path: string,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): RouteObject => ({ path, lazy: async () => ({ Component: (await load())[name] }) });

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
    () => import("../features/account/verify-email-page.tsx"),
    "VerifyEmailPage",
  ),
  screen("/shared/:token", () => import("../features/signals/shared-page.tsx"), "SharedPage"),
];

const memberScreens = [
  screen("/dashboard", () => import("./dashboard-page.tsx"), "DashboardPage"),
  screen("/user-panel", () => import("../features/account/account-page.tsx"), "AccountPage"),
];

const approvedScreens = [
  screen("/bot", loadBot, "BotPage"),
  screen("/signal-history", () => import("../features/signals/history-page.tsx"), "HistoryPage"),
  screen("/signals/:id", () => import("../features/signals/signal-page.tsx"), "SignalPage"),
];

const loadAdmin = () => import("../features/admin/admin-pages.tsx");

const adminScreens = [
  screen("/admin", loadAdmin, "OverviewPage"),
  screen("/admin/users", loadAdmin, "UsersPage"),
  screen("/admin/payments", loadAdmin, "PaymentsPage"),
  screen("/admin/images", loadAdmin, "ImagesPage"),
  screen("/admin/system", loadAdmin, "SystemPage"),
  screen("/admin/audit", loadAdmin, "AuditPage"),
  screen("/security-log", loadAdmin, "SecurityLogRedirect"),
];

async function loadBot() {
  // The slowest part of the bot to start, so it gets a task of its own.
  await import("../features/signals/bot-store.ts");
  await yieldToMain();
  return import("../features/signals/bot-page.tsx");
}

export const routes: RouteObject[] = [
  {
    element: <Layout />,
    errorElement: <ErrorPage />,
    hydrateFallbackElement: (
      <LayoutFrame>
        <PageSkeleton />
      </LayoutFrame>
    ),
    children: [
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
    ],
  },
];

/** Another user's sign-in remounts everything below, so that no screen keeps the data of the previous user. */
function RequireSession() {
  const { pathname, search, hash } = useLocation();
  const token = useSession((session) => session.token);
  const loggedOut = useSession((session) => session.endedBy === "logged-out");
  const [cameSignedIn] = useState(token !== null);
  if (token === null && cameSignedIn && loggedOut) return <Navigate to="/" replace />;
  if (token === null) {
    return <Navigate to="/login" replace state={{ from: `${pathname}${search}${hash}` }} />;
  }
  return (
    <Fragment key={token}>
      <Outlet />
    </Fragment>
  );
}

function RequireApproval() {
  const approved = useSession((session) => session.approved);
  return approved ? <Outlet /> : <Navigate to="/dashboard" replace />;
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
  return (
    <div role="status" aria-label="Loading" className="page flex flex-col gap-6 py-10">
      <Skeleton className="h-9 w-56" />
      <Skeleton className="h-5 w-80 max-w-full" />
      <Skeleton className="h-72 w-full rounded-card" />
    </div>
  );
}
