import { sha256Schema } from "@shared/contract/ledger.ts";
import type { KeptHead } from "@shared/contract/ledger-verifier.ts";
import { z } from "zod";
import { CliError, parseArguments } from "../lib/cli.ts";

export interface VerifyArgs {
  /** A file or a URL; undefined for the product's own database. */
  source: string | undefined;
  kept: KeptHead[];
  headsFile: string | undefined;
  /** CSV files of candles, or folders of them, to resolve outcomes again. */
  candles: string[];
  /** Resolve outcomes again with candles of the market data providers. */
  fromProvider: boolean;
}

const USAGE =
  "Usage: npm run verify-ledger -- [ledger.ndjson | https://api.example.com] [--head seq:hash] [--heads file] [--candles BTC-USDT.1h.csv | folder] [--from-provider]";

const OPTIONS = {
  head: { type: "string", multiple: true },
  heads: { type: "string" },
  candles: { type: "string", multiple: true },
  "from-provider": { type: "boolean" },
} as const;

const headSchema = z
  .string()
  .regex(/^\d{1,15}:[0-9a-f]{64}$/)
  .transform((text) => {
    const [seq = "", hash = ""] = text.split(":");
    return { seq: Number(seq), hash: sha256Schema.parse(hash) };
  });

export function parseVerifyArgs(args: readonly string[]): VerifyArgs {
  const config = { args: [...args], options: OPTIONS, allowPositionals: true };
  const { values, positionals } = parseArguments(config, USAGE);
  if (positionals.length > 1) throw new CliError(USAGE);
  const kept = (values.head ?? []).map((text) => {
    const head = headSchema.safeParse(text);
    if (!head.success) throw new CliError(`--head ${text}: must be seq:hash.\n${USAGE}`);
    return head.data;
  });
  const { heads: headsFile, candles = [], "from-provider": fromProvider = false } = values;
  return { source: positionals[0], kept, headsFile, candles, fromProvider };
}
