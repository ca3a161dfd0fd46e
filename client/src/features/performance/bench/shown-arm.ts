import type { BenchArm, BenchDetails } from "@shared/contract/analyst-bench.ts";

export interface ShownArm {
  arm: BenchArm;
  detail: BenchDetails["arms"][number] | undefined;
}
