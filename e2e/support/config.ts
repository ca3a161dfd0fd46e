import { projectRoot } from "../../scripts/lib/prepare-project.mjs";

/** Address of the product under test. Two test runs on one machine need different ones. */
interface ProductAddress {
  apiPort: number;
  clientPort: number;
  dataDir: string;
}

export const product: ProductAddress = {
  apiPort: Number(process.env.E2E_API_PORT ?? 8180),
  clientPort: Number(process.env.E2E_CLIENT_PORT ?? 5183),
  dataDir: process.env.E2E_DATA_DIR ?? ".data/e2e",
};

export const apiUrlOf = ({ apiPort }: ProductAddress): string => `http://localhost:${apiPort}`;
export const clientUrlOf = ({ clientPort }: ProductAddress): string =>
  `http://localhost:${clientPort}`;

export const apiUrl = apiUrlOf(product);
export const clientUrl = clientUrlOf(product);

/** How Playwright starts a product: as a user does, with recorded candles and nothing in its database. */
export function productServer(address: ProductAddress, adminPassword: string) {
  const { apiPort, clientPort, dataDir } = address;
  return {
    command: `rm -rf ${dataDir}/mongo ${dataDir}/outbox && exec node scripts/run.mjs start`,
    cwd: projectRoot,
    url: `${clientUrlOf(address)}/healthz`,
    timeout: 180_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 30_000 },
    stdout: "ignore",
    env: {
      API_PORT: String(apiPort),
      CLIENT_PORT: String(clientPort),
      DATA_DIR: dataDir,
      VITE_API_URL: "",
      CLIENT_ORIGIN: "",
      MONGODB_URI: "",
      ADMIN_USERNAME: "admin",
      ADMIN_PASSWORD: adminPassword,
      MARKET_DATA: "replay",
      DEMO_RECORD: "off",
      OPENAI_API_KEY: "",
      BENCH_FILE: "e2e/support/bench.json",
      RATE_LIMIT: "off",
      WEBHOOK_ALLOW_PRIVATE: "on",
      LOG_LEVEL: "warn",
    },
  } as const;
}
