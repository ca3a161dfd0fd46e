import { z } from "zod";
import {
  FAKE_MINED_AT,
  type FakeChain,
  type FakeTransaction,
  LATEST_BLOCK,
  startFakeChain,
  transferLog,
} from "./fake-evm.ts";
import { readText, sendJson } from "./fake-http.ts";

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
