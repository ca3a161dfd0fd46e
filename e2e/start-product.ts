import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { StandInOpenAi } from "@shared/testing/stand-in-openai.ts";
import { ADMIN } from "./api.ts";
import { analystStage, clientUrlOf } from "./stage.ts";

/** A whole product of its own, whose analyst is the stand-in. */
export interface Product {
  url: string;
  /** Process ids of the workers that have been started, the one before the last among the dead. */
  workers: number[];
  stop(): Promise<void>;
}

/** Starts it as a user does. The analyst is `openAi`. */
export async function startProduct(openAi: StandInOpenAi): Promise<Product> {
  const { apiPort, clientPort, dataDir } = analystStage;
  // The built pages, which know their ports, are kept for the next run.
  await rm(`${dataDir}/mongo`, { recursive: true, force: true });
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    env: {
      ...process.env,
      API_PORT: String(apiPort),
      CLIENT_PORT: String(clientPort),
      VITE_API_URL: "",
      CLIENT_ORIGIN: "",
      MONGODB_URI: "",
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: ADMIN.password,
      MARKET_DATA: "replay",
      OPENAI_API_KEY: "any",
      OPENAI_BASE_URL: openAi.baseUrl,
      LOG_LEVEL: "info",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const workers: number[] = [];
  await untilReady(child, workers);
  return {
    url: clientUrlOf(analystStage),
    workers,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Hears of each worker's start, and resolves when all of the product is there. */
async function untilReady(child: ChildProcess, workers: number[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (!child.stdout) return reject(new Error("The product's output cannot be read."));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, pid] = /"pid":(\d+).*"worker ready"/.exec(line) ?? [];
      if (pid) workers.push(Number(pid));
      if (line.includes("is ready.")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`The product ended with ${code}.`)));
  });
}
