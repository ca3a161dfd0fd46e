import type { ProviderFailure } from "@shared/contract/health.ts";
import { Counter, Gauge, type Registry } from "prom-client";
import type { ProviderHealth } from "../providers/guarded-provider.ts";

/** What is told of outside services: market data and AI alike. */
export interface ProviderFigures {
  failed(failure: { provider: string; kind: ProviderFailure }): void;
  /** From now on providers of candles are read here; what has failed in them since is counted too. */
  watch(read: () => readonly ProviderHealth[]): void;
}

/** Adds the figures of outside services. Providers are looked at when the figures are asked for. */
export function addProviderFigures(registry: Registry): ProviderFigures {
  const registers = [registry];
  let read: () => readonly ProviderHealth[] = () => [];
  const told = new Map<string, number>();
  const failures: Counter<"provider" | "kind"> = new Counter({
    name: "provider_failures_total",
    help: "Questions to an outside service that failed, whether or not another one or another try made up for it.",
    labelNames: ["provider", "kind"],
    registers,
    collect() {
      for (const { provider, kind, count } of read().flatMap(failuresOf)) {
        const key = `${provider} ${kind}`;
        failures.inc({ provider, kind }, count - (told.get(key) ?? 0));
        told.set(key, count);
      }
    },
  });
  const open: Gauge<"provider"> = new Gauge({
    name: "provider_circuit_open",
    help: "1 while a provider of candles is not called for any market, as its connection or most of its markets fail.",
    labelNames: ["provider"],
    registers,
    collect() {
      for (const { provider, state } of read()) open.set({ provider }, state === "resting" ? 1 : 0);
    },
  });
  return {
    failed: (failure) => failures.inc(failure),
    watch(health) {
      read = health;
    },
  };
}

const failuresOf = ({ provider, failures }: ProviderHealth) =>
  [...failures].map(([kind, count]) => ({ provider, kind, count }));
