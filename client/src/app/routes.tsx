import type { RouteObject } from "react-router-dom";
import { nextTask } from "../lib/next-task.ts";
import { ErrorPage } from "./error-page.tsx";
import { RequireAdmin, RequireApproval, RequireSession } from "./guards.tsx";
import { Layout, LayoutFrame } from "./layout.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { PageSkeleton } from "./page-skeleton.tsx";

/** Every screen is its own chunk, loaded when it is first visited. */
const screens = {
  home: async () => ({ Component: (await import("../features/home/home-page.tsx")).HomePage }),
  login: async () => ({ Component: (await import("../features/auth/auth-page.tsx")).LoginPage }),
  register: async () => ({
    Component: (await import("../features/auth/auth-page.tsx")).RegisterPage,
  }),
  pricing: async () => ({
    Component: (await import("../features/pricing/pricing-page.tsx")).PricingPage,
  }),
  payment: async () => ({
    Component: (await import("../features/payment/payment-page.tsx")).PaymentPage,
  }),
  contact: async () => ({
    Component: (await import("../features/contact/contact-page.tsx")).ContactPage,
  }),
  performance: async () => ({
    Component: (await import("../features/performance/performance-page.tsx")).PerformancePage,
  }),
  ledger: async () => ({
    Component: (await import("../features/ledger/ledger-page.tsx")).LedgerPage,
  }),
  privacy: async () => ({
    Component: (await import("../features/legal/legal-page.tsx")).PrivacyPage,
  }),
  terms: async () => ({ Component: (await import("../features/legal/legal-page.tsx")).TermsPage }),
  forgotPassword: async () => ({
    Component: (await import("../features/password/forgot-password-page.tsx")).ForgotPasswordPage,
  }),
  resetPassword: async () => ({
    Component: (await import("../features/password/reset-password-page.tsx")).ResetPasswordPage,
  }),
  verifyEmail: async () => ({
    Component: (await import("../features/account/verify-email-page.tsx")).VerifyEmailPage,
  }),
  account: async () => ({
    Component: (await import("../features/account/account-page.tsx")).AccountPage,
  }),
  dashboard: async () => ({
    Component: (await import("../features/dashboard/dashboard-page.tsx")).DashboardPage,
  }),
  bot: async () => {
    // Of all that the bot is made of, this takes longest to start: it has a task of its own.
    await import("../features/bot/bot-store.ts");
    await nextTask();
    return { Component: (await import("../features/bot/bot-page.tsx")).BotPage };
  },
  history: async () => ({
    Component: (await import("../features/history/history-page.tsx")).HistoryPage,
  }),
  signal: async () => ({
    Component: (await import("../features/signal/signal-page.tsx")).SignalPage,
  }),
  shared: async () => ({
    Component: (await import("../features/signal/shared-page.tsx")).SharedPage,
  }),
  admin: async () => ({ Component: (await import("../features/admin/admin-page.tsx")).AdminPage }),
};

/** All screens by their addresses. */
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
