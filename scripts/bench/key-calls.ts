import { Agent, request } from "node:http";
import { constants, setPriority } from "node:os";
import { z } from "zod";

// A process with the programs of many API keys. It has the lowest priority: in use, they run on other machines.

const startSchema = z.object({ url: z.string(), keys: z.array(z.string()) });
/** Without an interval, the calls end. */
const paceSchema = z.object({ everyMs: z.number().optional() });
export const callCountsSchema = z.record(z.string(), z.number());

setPriority(constants.priority.PRIORITY_LOW);

// Shorter than the server keeps idle connections.
const agent = new Agent({ keepAlive: true, timeout: 4_000 });
let timers: NodeJS.Timeout[] = [];
let counts: z.infer<typeof callCountsSchema> = {};
const waiting = new Set<string>();

process.once("disconnect", () => process.exit());
process.once("message", (message) => {
  const { url, keys } = startSchema.parse(message);
  process.on("message", (pace) => setPace(paceSchema.parse(pace), { url, keys }));
  process.send?.({});
});

/** Answers with the calls since the last pace, by their status. */
function setPace({ everyMs }: z.infer<typeof paceSchema>, programs: z.infer<typeof startSchema>) {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
  process.send?.(counts);
  counts = {};
  if (everyMs === undefined) return;
  const { url, keys } = programs;
  timers = keys.map((key, index) =>
    setTimeout(
      () => {
        callUnlessWaiting(url, key);
        timers.push(setInterval(() => callUnlessWaiting(url, key), everyMs));
      },
      (everyMs * index) / keys.length,
    ),
  );
}

/** A program waits for a response before its next call. */
function callUnlessWaiting(url: string, key: string): void {
  if (waiting.has(key)) return;
  waiting.add(key);
  const end = (status: string) => {
    waiting.delete(key);
    counts[status] = (counts[status] ?? 0) + 1;
  };
  const headers = { authorization: `Bearer ${key}` };
  const sent = request(url, { agent, headers }, (response) => {
    response.resume();
    response.once("end", () => end(String(response.statusCode)));
  });
  sent.once("error", () => end("failed"));
  sent.end();
}
