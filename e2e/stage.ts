/**
 * Where the product of the browser tests runs. Other ports and another folder let two runs share a machine.
 */
export const stage = {
  apiPort: Number(process.env.E2E_API_PORT ?? 8180),
  clientPort: Number(process.env.E2E_CLIENT_PORT ?? 5183),
  dataDir: process.env.E2E_DATA_DIR ?? ".data/e2e",
} as const;

export const apiUrl = `http://localhost:${stage.apiPort}`;
export const clientUrl = `http://localhost:${stage.clientPort}`;
