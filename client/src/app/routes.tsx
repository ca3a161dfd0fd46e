import { Fragment, useState } from "react";
import { Navigate, Outlet, type RouteObject, useLocation } from "react-router-dom";
import { BotFrame } from "../features/signals/bot-frame.tsx";
import { yieldToMain } from "../lib/hydration.ts";
import { useSession } from "../lib/session.ts";
import { Skeleton } from "../ui/card.tsx";
import { ErrorPage, NotFoundPage } from "./error-pages.tsx";
import { Layout, LayoutFrame } from "./layout.tsx";

/** Every screen is its own chunk, loaded on the first visit. */
const screens = {
  home: async () => ({ Component: (await import("../features/public/home-page.tsx")).HomePage }),
  login: async () => ({ Component: (await import("../features/auth/auth-page.tsx")).LoginPage }),
  register: async () => ({
    Component: (await import("../features/auth/auth-page.tsx")).RegisterPage,
  }),
  pricing: async () => ({
    Component: (await import("../features/payments/pricing-page.tsx")).PricingPage,
  }),
  payment: async () => ({
    Component: (await import("../features/payments/payment-page.tsx")).PaymentPage,
  }),
  contact: async () => ({
    Component: (await import("../features/public/contact-page.tsx")).ContactPage,
  }),
  performance: async () => ({
    Component: (await import("../features/performance/performance-page.tsx")).PerformancePage,
  }),
  ledger: async () => ({
    Component: (await import("../features/ledger/ledger-page.tsx")).LedgerPage,
  }),
  privacy: async () => ({
    Component: (await import("../features/public/legal-page.tsx")).PrivacyPage,
  }),
  terms: async () => ({ Component: (await import("../features/public/legal-page.tsx")).TermsPage }),
  forgotPassword: async () => ({
    Component: (await import("../features/auth/password-pages.tsx")).ForgotPasswordPage,
  }),
  resetPassword: async () => ({
    Component: (await import("../features/auth/password-pages.tsx")).ResetPasswordPage,
  }),
  verifyEmail: async () => ({
    Component: (await import("../features/account/verify-email-page.tsx")).VerifyEmailPage,
  }),
  account: async () => ({
    Component: (await import("../features/account/account-page.tsx")).AccountPage,
  }),
  dashboard: async () => ({
    Component: (await import("./dashboard-page.tsx")).DashboardPage,
  }),
  bot: async () => {
    // The slowest part of the bot to start, so it gets a task of its own.
    await import("../features/signals/bot-store.ts");
    await yieldToMain();
    return { Component: (await import("../features/signals/bot-page.tsx")).BotPage };
  },
  history: async () => ({
    Component: (await import("../features/signals/history-page.tsx")).HistoryPage,
  }),
  signal: async () => ({
    Component: (await import("../features/signals/signal-page.tsx")).SignalPage,
  }),
  shared: async () => ({
    Component: (await import("../features/signals/shared-page.tsx")).SharedPage,
  }),
  admin: async () => ({ Component: (await import("../features/admin/admin-page.tsx")).AdminPage }),
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

/**
 * Sends visitors to the login and back afterwards. Another user's sign-in remounts everything below, so that no
 * screen keeps the data of the previous user.
 */
function RequireSession() {
  const { pathname, search, hash } = useLocation();
  const token = useSession((session) => session.token);
  const loggedOut = useSession((session) => session.endedBy === "logout");
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
