import { randomUUID } from "node:crypto";
import { multipartForm } from "@shared/testing/multipart-form.ts";
import { ADMIN_PASSWORD } from "./administrator.ts";
import type { ApiCall } from "./api.ts";
import type { Stage } from "./stage.ts";
import type { Trader } from "./trader.ts";

/** One kind of call of the API. */
export interface CallKind {
  name: string;
  /** Statuses that answer it while nothing is wrong. */
  expected: readonly number[];
  make: () => Omit<ApiCall, "via">;
}

const READS_OF_ANYONE = ["/status", "/performance", "/ledger", "/ledger/head", "/payment-details"];
const READS_OF_TRADERS = ["/me", "/signal-history"];
const READS_OF_ADMINS = [
  ...["/admin/list-users", "/admin/audit", "/admin/health"],
  ...["/admin/usage", "/admin/chart-images"],
];

/** Reads, sign-ins, changes by administrators (each with an entry in the audit trail), uploads and signal requests. */
export function callsOfEveryKind(options: {
  stage: Stage;
  trader: Trader;
  picture: Buffer;
}): CallKind[] {
  const { token } = options.trader;
  return [
    ...READS_OF_ANYONE.map((path) => read(path)),
    ...READS_OF_TRADERS.map((path) => read(path, token)),
    ...READS_OF_ADMINS.map((path) => read(path, options.stage.administrator.token)),
    ...signIns(options.trader),
    ...adminActions(options),
    ...uploadsAndSignals(options),
  ];
}

const read = (path: string, token?: string): CallKind => ({
  name: `GET ${path}`,
  expected: [200],
  make: () => ({ path, ...(token && { token }) }),
});

const post = (
  path: string,
  expected: number,
  make: () => Omit<ApiCall, "via" | "path" | "method">,
): CallKind => ({
  name: `POST ${path}`,
  expected: [expected],
  make: () => ({ path, method: "POST", ...make() }),
});

function signIns({ username }: Trader): CallKind[] {
  const password = ADMIN_PASSWORD;
  const newcomer = () => {
    const name = `newcomer-${randomUUID().slice(0, 8)}`;
    return { username: name, email: `${name}@example.com`, password };
  };
  return [
    post("/login", 200, () => ({ body: { username, password } })),
    post("/register", 201, () => ({ body: newcomer() })),
  ];
}

function adminActions({ stage, trader }: { stage: Stage; trader: Trader }): CallKind[] {
  const { token } = stage.administrator;
  const form = (fields: Record<string, string>) => () => ({ token, body: multipartForm(fields) });
  return [
    post(`/admin/grant-image-credits/${trader.username}`, 200, form({ credits: "1" })),
    post(`/admin/set-image-access/${trader.username}`, 200, form({ allow: "true" })),
    post("/admin/update-payment-details", 200, () => ({
      token,
      body: { bank_details: `IBAN ${randomUUID()}` },
    })),
  ];
}

function uploadsAndSignals({
  stage,
  trader,
  picture,
}: {
  stage: Stage;
  trader: Trader;
  picture: Buffer;
}): CallKind[] {
  const { token } = trader;
  const headers = () => ({ "Idempotency-Key": randomUUID(), Prefer: "respond-async" });
  const proof = () => multipartForm({ sender_name: "Ann", proof_image: picture });
  const imageForm = () => multipartForm({ ...stage.nextMarket(), chart_image: picture });
  return [
    post("/submit-payment-proof", 201, () => ({ token, body: proof() })),
    post("/get-signal", 202, () => ({ token, headers: headers(), body: stage.nextMarket() })),
    post("/get-signal-with-image", 202, () => ({ token, headers: headers(), body: imageForm() })),
  ];
}
