import type { Settings } from "@shared/runtime/settings.ts";
import {
  decodeEvmAddress,
  decodeTronAddress,
  encodeTronAddress,
} from "@shared/runtime/wallet-addresses.ts";
import { z } from "zod";

/** USDT on Tron. */
const TRON_TOKEN = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const TRON_TOKEN_DECIMALS = 6;

/** Hexadecimal digits, which only EVM chains prefix. */
const digits = z
  .string()
  .regex(/^(0x)?[0-9a-f]*$/i)
  .transform((text) => text.replace(/^0x/, "").toLowerCase());
const logSchema = z.object({ address: digits, topics: z.array(digits), data: digits.default("") });

export interface MinedTransaction {
  succeeded: boolean;
  block: number;
  latestBlock: number;
  minedAt: Date;
  /** Digits after the decimal point of an amount in USDT. */
  decimals: number;
  logs: z.infer<typeof logSchema>[];
}

/** Where the seller receives USDT. Addresses without a prefix are the 40 hexadecimal digits in logs. */
export interface Wallet {
  chain: "evm" | "tron";
  network: string;
  address: string;
  ownDigits: string;
  tokenDigits: string;
  encode(digits: string): string;
  /**
   * Null if no block contains the transaction.
   * @throws if the service fails, is too slow, or answers something else
   */
  read(hashDigits: string, signal: AbortSignal): Promise<MinedTransaction | null>;
}

export type WalletSettings = Pick<
  Settings,
  | "USDT_EVM_ADDRESS"
  | "USDT_EVM_NETWORK"
  | "USDT_EVM_TOKEN"
  | "EVM_RPC_URL"
  | "USDT_TRON_ADDRESS"
  | "TRON_API_URL"
  | "TRON_API_KEY"
>;

/** None unless the settings name addresses. */
export function walletsOf(settings: WalletSettings): Wallet[] {
  return [evmWallet(settings), tronWallet(settings)].filter((wallet) => wallet !== null);
}

function evmWallet(settings: WalletSettings): Wallet | null {
  const { USDT_EVM_ADDRESS: address, USDT_EVM_TOKEN: token, EVM_RPC_URL: url } = settings;
  if (!address || !url) return null;
  return {
    chain: "evm",
    network: settings.USDT_EVM_NETWORK,
    address,
    ownDigits: decodeEvmAddress(address) ?? "",
    tokenDigits: decodeEvmAddress(token) ?? "",
    encode: (hex) => `0x${hex}`,
    read: (hash, signal) => readEvmTransaction({ url, token, signal }, hash),
  };
}

const evmReceiptSchema = z.object({
  status: z.enum(["success", "reverted"]),
  blockNumber: z.bigint().transform(Number),
  logs: z.array(logSchema),
});
const evmBlockSchema = z.object({
  number: z.bigint().transform(Number),
  timestamp: z.bigint().transform((seconds) => new Date(Number(seconds) * 1_000)),
});

async function readEvmTransaction(
  { url, token, signal }: { url: string; token: string; signal: AbortSignal },
  hash: string,
): Promise<MinedTransaction | null> {
  const { createPublicClient, erc20Abi, http, TransactionReceiptNotFoundError } = await import(
    "viem"
  );
  const fetchOptions = { redirect: "error", signal } as const;
  const client = createPublicClient({ transport: http(url, { retryCount: 0, fetchOptions }) });
  try {
    const [receipt, latest, decimals] = await Promise.all([
      client.getTransactionReceipt({ hash: `0x${hash}` }),
      client.getBlock(),
      client.readContract({
        address: `0x${token.slice(2)}`,
        abi: erc20Abi,
        functionName: "decimals",
      }),
    ]);
    const { status, blockNumber, logs } = evmReceiptSchema.parse(receipt);
    const { blockHash } = receipt;
    const block = evmBlockSchema.parse(await client.getBlock({ blockHash }));
    return {
      succeeded: status === "success",
      logs,
      decimals,
      block: blockNumber,
      minedAt: block.timestamp,
      latestBlock: evmBlockSchema.parse(latest).number,
    };
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

function tronWallet(settings: WalletSettings): Wallet | null {
  const { USDT_TRON_ADDRESS: address, TRON_API_URL: url, TRON_API_KEY: key } = settings;
  if (!address || !url) return null;
  const headers = {
    "Content-Type": "application/json",
    ...(key && { "TRON-PRO-API-KEY": key }),
  };
  return {
    chain: "tron",
    network: "Tron",
    address,
    ownDigits: decodeTronAddress(address) ?? "",
    tokenDigits: decodeTronAddress(TRON_TOKEN) ?? "",
    encode: encodeTronAddress,
    read: (hash, signal) =>
      readTronTransaction(async (path, body) => {
        const init = { method: "POST", headers, body: JSON.stringify(body) };
        const options = { ...init, redirect: "error", signal } as const;
        const response = await fetch(url.replace(/\/+$/, "") + path, options);
        if (!response.ok) throw new Error(`Tron's API answered ${response.status}.`);
        return response.json();
      }, hash),
  };
}

const tronTransactionSchema = z.object({
  blockNumber: z.int(),
  blockTimeStamp: z.int().transform((timeMs) => new Date(timeMs)),
  result: z.literal("FAILED").optional(),
  log: z.array(logSchema).default([]),
});
const tronBlockSchema = z.object({
  block_header: z.object({ raw_data: z.object({ number: z.int() }) }),
});

async function readTronTransaction(
  post: (path: string, body: object) => Promise<unknown>,
  hash: string,
): Promise<MinedTransaction | null> {
  const [found, latest] = await Promise.all([
    post("/wallet/gettransactioninfobyid", { value: hash }),
    post("/wallet/getnowblock", {}),
  ]);
  if (z.strictObject({}).safeParse(found).success) return null;
  const transaction = tronTransactionSchema.parse(found);
  return {
    succeeded: transaction.result === undefined,
    block: transaction.blockNumber,
    minedAt: transaction.blockTimeStamp,
    latestBlock: tronBlockSchema.parse(latest).block_header.raw_data.number,
    decimals: TRON_TOKEN_DECIMALS,
    logs: transaction.log,
  };
}
