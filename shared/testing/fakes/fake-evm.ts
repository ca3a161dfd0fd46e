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

export const LATEST_BLOCK = 21_000_000;
export const FAKE_MINED_AT = "2026-11-20T12:00:00.000Z";

/** What `Transfer(address,address,uint256)` emits. Its words have no prefix. */
export const transferLog = ({ recipient, amount }: FakeTransfer) => ({
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
export async function startFakeChain(
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
    ...{
      type: "0x2",
      gasUsed: "0xf618",
      cumulativeGasUsed: "0xf618",
      effectiveGasPrice: "0x3b9aca00",
    },
    logs: transfers.map((transfer, index) => {
      const { topics, data } = transferLog(transfer);
      return {
        ...place,
        ...{ address: `0x${transfer.token}`, logIndex: hex(index), removed: false },
        ...{ topics: topics.map((topic) => `0x${topic}`), data: `0x${data}` },
      };
    }),
  };
}
