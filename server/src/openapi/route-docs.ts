import { ACCOUNT_DOCS } from "./account-docs.ts";
import { ADMIN_DOCS } from "./admin-docs.ts";
import { LEDGER_DOCS } from "./ledger-docs.ts";
import { PAYMENT_DOCS } from "./payment-docs.ts";
import { QUEUE_PAGE_DOCS } from "./queue-page-docs.ts";
import type { RouteDoc } from "./route-doc.ts";
import { SERVICE_DOCS } from "./service-docs.ts";
import { SIGNAL_DOCS } from "./signal-docs.ts";
import { SIGNAL_PAGE_DOCS } from "./signal-page-docs.ts";

/** Every route of the API, in the order in which it is read. */
export const ROUTE_DOCS: readonly RouteDoc[] = [
  ...ACCOUNT_DOCS,
  ...SIGNAL_DOCS,
  ...SIGNAL_PAGE_DOCS,
  ...LEDGER_DOCS,
  ...PAYMENT_DOCS,
  ...ADMIN_DOCS,
  ...QUEUE_PAGE_DOCS,
  ...SERVICE_DOCS,
];
