import { once } from "node:events";
import { createServer, type ListenOptions } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../cli.ts";

export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen({ port })) && (await canListen({ port, host: "127.0.0.1" }));
}

export async function pickFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/** Waits until a port is free; false if the time runs out first. */
export async function waitForFreePort(
  port: number,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isPortFree(port))) {
    if (Date.now() >= deadline) return false;
    await sleep(200, undefined, { signal });
  }
  return true;
}

function canListen(where: ListenOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(where, () => server.close(() => resolve(true)));
  });
}

const POLL_INTERVAL_MS = 150;
const READY_TIMEOUT_MS = 120_000;

/** A service that exits this often in a row will not start by waiting longer. */
const MAX_FAILURES = 5;

/**
 * Waits until every address answers with success.
 * @throws CliError if a service keeps stopping, or it takes too long
 */
export async function waitUntilReady(options: {
  addresses: readonly string[];
  services: readonly { name: string; failures: number }[];
  signal: AbortSignal;
}): Promise<void> {
  const { addresses, services, signal } = options;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (const address of addresses) {
    while (!(await isAnswering(address))) {
      const broken = services.find(({ failures }) => failures >= MAX_FAILURES);
      if (broken) {
        throw new CliError(`The ${broken.name} does not start; its last lines above say why.`);
      }
      if (Date.now() > deadline) {
        throw new CliError(`No answer from ${address} in ${READY_TIMEOUT_MS / 1_000} s.`);
      }
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
    }
  }
}

async function isAnswering(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
