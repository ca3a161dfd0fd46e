import { type ComponentType, Fragment, useState } from "react";
import { Navigate, Outlet, type RouteObject, useLocation } from "react-router-dom";
import { BotFrame } from "../features/signals/bot-frame.tsx";
import { yieldToMain } from "../lib/hydration.ts";
import { useSession } from "../lib/session.ts";
import { Skeleton } from "../ui/card.tsx";
import { ErrorPage, NotFoundPage } from "./error-pages.tsx";
import { Layout, LayoutFrame } from "./layout.tsx";

/** Every screen is its own chunk, loaded on the first visit. */
const screen =
  <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  async () => ({ Component: (await load())[name] });

const screens = {
  home: screen(() => import("../features/public/home-page.tsx"), "HomePage"),
  login: screen(() => import("../features/auth/auth-page.tsx"), "LoginPage"),
  register: screen(() => import("../features/auth/auth-page.tsx"), "RegisterPage"),
  pricing: screen(() => import("../features/payments/pricing-page.tsx"), "PricingPage"),
  payment: screen(() => import("../features/payments/payment-page.tsx"), "PaymentPage"),
  contact: screen(() => import("../features/public/contact-page.tsx"), "ContactPage"),
  performance: screen(
    () => import("../features/performance/performance-page.tsx"),
    "PerformancePage",
  ),
  ledger: screen(() => import("../features/ledger/ledger-page.tsx"), "LedgerPage"),
  privacy: screen(() => import("../features/public/legal-page.tsx"), "PrivacyPage"),
  terms: screen(() => import("../features/public/legal-page.tsx"), "TermsPage"),
  forgotPassword: screen(() => import("../features/auth/password-pages.tsx"), "ForgotPasswordPage"),
  resetPassword: screen(() => import("../features/auth/password-pages.tsx"), "ResetPasswordPage"),
  verifyEmail: screen(() => import("../features/account/verify-email-page.tsx"), "VerifyEmailPage"),
  account: screen(() => import("../features/account/account-page.tsx"), "AccountPage"),
  dashboard: screen(() => import("./dashboard-page.tsx"), "DashboardPage"),
  history: screen(() => import("../features/signals/history-page.tsx"), "HistoryPage"),
  signal: screen(() => import("../features/signals/signal-page.tsx"), "SignalPage"),
  shared: screen(() => import("../features/signals/shared-page.tsx"), "SharedPage"),
  admin: screen(() => import("../features/admin/admin-page.tsx"), "AdminPage"),
  bot: async () => {
    // The slowest part of the bot to start, so it gets a task of its own.
    await import("../features/signals/bot-store.ts");
    await yieldToMain();
    return { Component: (await import("../features/signals/bot-page.tsx")).BotPage };
  },
};

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
      { path: "/", lazy: screens.home },
      { path: "/login", lazy: screens.login },
      { path: "/register", lazy: screens.register },
      { path: "/pricing", lazy: screens.pricing },
      { path: "/payment", lazy: screens.payment },
      { path: "/contact", lazy: screens.contact },
      { path: "/performance", lazy: screens.performance },
      { path: "/ledger", lazy: screens.ledger },
      { path: "/privacy", lazy: screens.privacy },
      { path: "/terms", lazy: screens.terms },
      { path: "/forgot-password", lazy: screens.forgotPassword },
      { path: "/reset-password", lazy: screens.resetPassword },
      { path: "/verify-email", lazy: screens.verifyEmail },
      { path: "/shared/:token", lazy: screens.shared },
      {
        element: <RequireSession />,
        children: [
          { path: "/dashboard", lazy: screens.dashboard },
          { path: "/user-panel", lazy: screens.account },
          {
            element: <RequireApproval />,
            children: [
              { path: "/bot", lazy: screens.bot },
              { path: "/signal-history", lazy: screens.history },
              { path: "/signals/:id", lazy: screens.signal },
            ],
          },
          { element: <RequireAdmin />, children: [{ path: "/admin", lazy: screens.admin }] },
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
