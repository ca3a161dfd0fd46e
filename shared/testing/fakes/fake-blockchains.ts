import { z } from "zod";
import {
  type FakeHandler,
  HTTP_FAULTS,
  type HttpFake,
  type HttpFault,
  readText,
  sendJson,
  startHttpFake,
} from "./fake-http.ts";

/** A transfer of a token in a fake transaction. Addresses are 40 hexadecimal digits. */
export interface FakeTransfer {
  token: string;
  recipient: string;
  /** In the token's smallest unit. */
  amount: bigint;
}

export interface FakeTransaction {
  transfers: FakeTransfer[];
  confirmations: number;
  failed?: boolean;
}

/** A blockchain. A fault applies to all requests, a malformed answer to those for a transaction. */
export interface FakeChain extends HttpFake {
  transactions: Map<string, FakeTransaction>;
  fault: HttpFault | null;
  malformed: unknown;
}

const LATEST_BLOCK = 21_000_000;
export const FAKE_MINED_AT = "2026-11-20T12:00:00.000Z";

/** What `Transfer(address,address,uint256)` emits. Its words have no prefix. */
const transferLog = ({ recipient, amount }: FakeTransfer) => ({
  topics: [
    "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    "a".repeat(40).padStart(64, "0"),
    recipient.padStart(64, "0"),
  ],
  data: word(amount),
});

const word = (value: bigint | number) => value.toString(16).padStart(64, "0");
const hex = (value: number) => `0x${value.toString(16)}`;
const hash = (value: number) => `0x${word(value)}`;

/** Starts a fake blockchain service whose requests `answer` handles. */
async function startFakeChain(
  answer: (chain: FakeChain, ...request: Parameters<FakeHandler>) => Promise<void>,
): Promise<FakeChain> {
  const { url, close } = await startHttpFake(async (request, response) => {
    if (chain.fault) HTTP_FAULTS[chain.fault](response);
    else await answer(chain, request, response);
  });
  const chain: FakeChain = {
    url,
    close,
    transactions: new Map(),
    fault: null,
    malformed: undefined,
  };
  return chain;
}

const callSchema = z.object({
  id: z.number(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});

/** Starts a fake of an EVM chain's JSON-RPC with one token contract of 6 decimals. */
export function startFakeEvm(): Promise<FakeChain> {
  return startFakeChain(async (chain, request, response) => {
    const { id, method, params } = callSchema.parse(JSON.parse(await readText(request)));
    const result = answerCall(chain, method, params);
    const error = { code: -32_601, message: `the method ${method} does not exist` };
    sendJson(response, { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) });
  });
}

function answerCall(chain: FakeChain, method: string, [first]: unknown[]): unknown {
  if (method === "eth_call") return hash(6);
  if (method === "eth_getBlockByNumber") return blockOf(LATEST_BLOCK);
  if (method === "eth_getBlockByHash") return blockOf(Number(first));
  if (method !== "eth_getTransactionReceipt") return undefined;
  if (chain.malformed !== undefined) return chain.malformed;
  const transaction = chain.transactions.get(String(first));
  return transaction ? receiptOf(String(first), transaction) : null;
}

const blockOf = (number: number) => ({
  number: hex(number),
  hash: hash(number),
  timestamp: hex(Date.parse(FAKE_MINED_AT) / 1_000),
  transactions: [],
});

function receiptOf(transactionHash: string, { transfers, confirmations, failed }: FakeTransaction) {
  const block = LATEST_BLOCK + 1 - confirmations;
  const place = {
    transactionHash,
    transactionIndex: "0x0",
    blockNumber: hex(block),
    blockHash: hash(block),
  };
  return {
    ...place,
    status: failed ? "0x0" : "0x1",
    type: "0x2",
    gasUsed: "0xf618",
    cumulativeGasUsed: "0xf618",
    effectiveGasPrice: "0x3b9aca00",
    logs: transfers.map((transfer, index) => {
      const { topics, data } = transferLog(transfer);
      return {
        ...place,
        address: `0x${transfer.token}`,
        logIndex: hex(index),
        removed: false,
        topics: topics.map((topic) => `0x${topic}`),
        data: `0x${data}`,
      };
    }),
  };
}

export const FAKE_TRON_KEY = "fake-tron-key";

const querySchema = z.object({ value: z.string() });

/** Starts a fake of a Tron node's HTTP API, which wants a key as TronGrid does. */
export function startFakeTron(): Promise<FakeChain> {
  return startFakeChain(async (chain, request, response) => {
    if (request.headers["tron-pro-api-key"] !== FAKE_TRON_KEY) {
      return sendJson(response, { Error: "ApiKey not exists" }, 401);
    }
    const body: unknown = JSON.parse(await readText(request));
    if (request.url === "/wallet/getnowblock") {
      return sendJson(response, { block_header: { raw_data: { number: LATEST_BLOCK } } });
    }
    if (request.url !== "/wallet/gettransactioninfobyid") return sendJson(response, {}, 405);
    const { value } = querySchema.parse(body);
    const transaction = chain.transactions.get(value);
    sendJson(response, chain.malformed ?? (transaction ? infoOf(value, transaction) : {}));
  });
}

const infoOf = (id: string, { transfers, confirmations, failed }: FakeTransaction) => ({
  id,
  fee: 13_844_850,
  blockNumber: LATEST_BLOCK + 1 - confirmations,
  blockTimeStamp: Date.parse(FAKE_MINED_AT),
  contractResult: [""],
  receipt: { energy_usage_total: 64_285, result: failed ? "OUT_OF_ENERGY" : "SUCCESS" },
  ...(failed ? { result: "FAILED" } : {}),
  ...(transfers.length > 0 && {
    log: transfers.map((transfer) => ({ address: transfer.token, ...transferLog(transfer) })),
  }),
});
