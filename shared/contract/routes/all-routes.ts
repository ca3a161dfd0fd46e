import { accountRoutes } from "./account-routes.ts";
import { adminRoutes } from "./admin-routes.ts";
import { apiKeyRoutes } from "./api-key-routes.ts";
import { benchRoutes } from "./bench-routes.ts";
import { brandingRoutes } from "./branding-routes.ts";
import { channelRoutes } from "./channel-routes.ts";
import { ledgerRoutes } from "./ledger-routes.ts";
import { mcpRoutes } from "./mcp-routes.ts";
import { paymentRoutes } from "./payment-routes.ts";
import { queueDashboardRoutes } from "./queue-dashboard-routes.ts";
import { serviceRoutes } from "./service-routes.ts";
import { signalRoutes, watchlistRoutes } from "./signal-routes.ts";
import { telegramChannelRoutes } from "./telegram-channel-routes.ts";

/** Every route of the API, in the order in which its description lists them. */
export const ROUTES = [
  ...Object.values(accountRoutes),
  ...Object.values(apiKeyRoutes),
  ...Object.values(mcpRoutes),
  ...Object.values(signalRoutes),
  ...Object.values(watchlistRoutes),
  ...Object.values(channelRoutes),
  ...Object.values(telegramChannelRoutes),
  ...Object.values(ledgerRoutes),
  ...Object.values(benchRoutes),
  ...Object.values(paymentRoutes),
  ...Object.values(adminRoutes),
  ...Object.values(brandingRoutes),
  ...Object.values(queueDashboardRoutes),
  ...Object.values(serviceRoutes),
];
