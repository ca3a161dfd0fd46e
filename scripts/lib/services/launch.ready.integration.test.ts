import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { waitUntilReady } from "./launch.ts";

const { signal } = new AbortController();

/** Answers 503 the first times, as a server does while its database is not there yet. */
async function serveAfter(refusals: number) {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(asked > refusals ? 200 : 503).end();
  });
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { address: `http://localhost:${port}/readyz`, asked: () => asked, server };
}

describe("waiting until all is ready", () => {
  it("ends when every address answers with success", async () => {
    const api = await serveAfter(2);
    const pages = await serveAfter(0);
    await waitUntilReady({ addresses: [api.address, pages.address], services: [], signal });
    expect(api.asked()).toBe(3);
    expect(pages.asked()).toBe(1);
    api.server.close();
    pages.server.close();
  });

  it("gives up on a service that keeps stopping, and names it", async () => {
    const services = [
      { name: "server", failures: 0 },
      { name: "worker", failures: 5 },
    ];
    const addresses = ["http://localhost:1/readyz"];
    await expect(waitUntilReady({ addresses, services, signal })).rejects.toThrow(
      "The worker does not start",
    );
  });

  it("ends at once when asked to stop", async () => {
    const addresses = ["http://localhost:1/readyz"];
    const waiting = waitUntilReady({ addresses, services: [], signal: AbortSignal.timeout(50) });
    await expect(waiting).rejects.toThrow("aborted");
  });
});
