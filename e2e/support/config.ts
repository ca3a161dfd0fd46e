/**
 * Where the product of the browser tests runs. Test files that run at the same time each have a product of their own,
 * so that "all users" or "the newest registration" means what the file itself has made. Other ports and another folder
 * let two test runs share a machine.
 */
export interface Stage {
  apiPort: number;
  clientPort: number;
  dataDir: string;
}

const first: Stage = {
  apiPort: Number(process.env.E2E_API_PORT ?? 8180),
  clientPort: Number(process.env.E2E_CLIENT_PORT ?? 5183),
  dataDir: process.env.E2E_DATA_DIR ?? ".data/e2e",
};

const stageOf = (index: number, name: string): Stage => ({
  apiPort: first.apiPort + index,
  clientPort: first.clientPort + index,
  dataDir: `${first.dataDir}-${name}`,
});

/** One for each test worker. Their number is also that of the workers. */
export const stages = [stageOf(0, "1"), stageOf(1, "2")] as const;

/** Playwright numbers the test workers that run at the same time from 0. */
const worker = Number(process.env.TEST_PARALLEL_INDEX ?? 0);

/** The stage of this test worker. */
export const stage = stages[worker] ?? stages[0];

/** A further one, for the tests that start a product with an analyst of their own. */
export const analystStage = stageOf(stages.length + worker, `analyst-${worker + 1}`);

export const apiUrlOf = ({ apiPort }: Stage): string => `http://localhost:${apiPort}`;
export const clientUrlOf = ({ clientPort }: Stage): string => `http://localhost:${clientPort}`;

export const apiUrl = apiUrlOf(stage);
export const clientUrl = clientUrlOf(stage);
