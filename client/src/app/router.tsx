import { createBrowserRouter } from "react-router-dom";
import { ErrorPage } from "./error-page.tsx";
import { RequireApproval, RequireSession } from "./guards.tsx";
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
  dashboard: async () => ({
    Component: (await import("../features/dashboard/dashboard-page.tsx")).DashboardPage,
  }),
  bot: async () => ({ Component: (await import("../features/bot/bot-page.tsx")).BotPage }),
  history: async () => ({
    Component: (await import("../features/history/history-page.tsx")).HistoryPage,
  }),
};

export const router = createBrowserRouter([
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
      {
        element: <RequireSession />,
        children: [
          { path: "/dashboard", lazy: screens.dashboard },
          {
            element: <RequireApproval />,
            children: [
              { path: "/bot", lazy: screens.bot },
              { path: "/signal-history", lazy: screens.history },
            ],
          },
        ],
      },
      { path: "*", element: <NotFoundPage /> },
    ],
  },
]);
