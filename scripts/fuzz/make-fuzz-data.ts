import type { Database } from "@shared/node/database.ts";
import type { Settings } from "@shared/node/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { multipartForm } from "@shared/testing/multipart-form.ts";
import { chartPicture } from "@shared/testing/pictures.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";

/**
 * An administrator who may do everything, and a trader with a signal and files for him to work on; so that not every
 * made-up name ends in a 404.
 * @returns environment variables that `schemathesis.toml` refers to
 */
export async function makeFuzzData(options: {
  database: Database;
  settings: Settings;
  apiUrl: string;
}): Promise<Record<string, string>> {
  const { database, settings, apiUrl } = options;
  const rights = { approved: true, allowImageUpload: true, imageCredits: 1_000_000 };
  const admin = await createUser(database, { role: "admin", ...rights });
  const trader = await createUser(database, rights);
  const picture = await chartPicture(1).png().toBuffer();
  const send = async (path: string, fields: Parameters<typeof multipartForm>[0]) => {
    const headers = { Authorization: `Bearer ${signTokenFor(trader, settings)}` };
    const body = multipartForm(fields);
    const answer = await fetch(apiUrl + path, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  await send("/submit-payment-proof", { sender_name: "Ann Smith", proof_image: picture });
  await send("/get-signal-with-image", {
    symbol: "BTC/USDT",
    timeframe: "1h",
    chart_image: picture,
  });
  const [proof, chart, [signal]] = await Promise.all([
    database.paymentProofs.findOne({ userId: trader._id }).lean(),
    database.chartImages.findOne({ userId: trader._id }).lean(),
    createSignals(database, admin),
  ]);
  return {
    FUZZ_TOKEN: signTokenFor(admin, settings),
    FUZZ_USERNAME: trader.username,
    FUZZ_SIGNAL: String(signal?._id),
    FUZZ_PROOF: String(proof?.filename),
    FUZZ_CHART: String(chart?.filename),
  };
}
