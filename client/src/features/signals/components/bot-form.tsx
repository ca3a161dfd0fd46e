import { Form } from "@base-ui/react/form";
import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import { Sparkles } from "lucide-react";
import { type FormEvent, memo, useState } from "react";
import type { FormErrors } from "../../../lib/api/field-errors.ts";
import { useMe } from "../../../lib/me.ts";
import { Button } from "../../../ui/button.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { readInputs, setInputs, useBot } from "../bot-store.ts";
import { submitRequest } from "../submit-request.ts";
import { NumberInput, SymbolField, TimeframeField } from "./form-fields.tsx";

/** Only some users may send images. */
const ImageInput = lazyComponent(
  () => import("./image-input.tsx"),
  "ImageInput",
  <Skeleton className="h-40 rounded-control" />,
);

export function BotForm({ analyzing, onSubmitted }: { analyzing: boolean; onSubmitted(): void }) {
  const [file, setFile] = useState<File | null>(null);
  const [errors, setErrors] = useState<FormErrors>({});
  const { allow_image_upload: allowsImage = false, image_credits: credits = 0 } = useMe() ?? {};
  const image = allowsImage ? file : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (analyzing) return;
    const { request, errors: found } = readInputs(useBot.getState().inputs);
    setErrors(found ?? {});
    if (!request || (image && credits <= 0)) return;
    const { symbol, amount, risk_percent: riskPercent, leverage } = request;
    setInputs({ symbol, amount, riskPercent, leverage });
    void submitRequest({ request, image }).then(() => {
      // An accepted image is removed, so that it is not paid for twice by mistake.
      if (!useBot.getState().failure) setFile(null);
    });
    onSubmitted();
  };
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="sr-only">Signal settings</h2>
      <Form errors={errors} onSubmit={submit} className="flex flex-col gap-5">
        <MarketFields />
        <MoneyFields />
        {allowsImage && (
          <ImageInput file={image} credits={credits} disabled={analyzing} onChange={setFile} />
        )}
        <Button type="submit" size="lg" busy={analyzing} className="mt-1 w-full">
          {!analyzing && <Sparkles aria-hidden className="size-5" />}
          {analyzing ? "Analyzing..." : "Get Signal"}
        </Button>
      </Form>
    </Card>
  );
}

// The fields subscribe to their own inputs, so they do not render again with the account or a request.

const MarketFields = memo(function MarketFields() {
  const symbol = useBot(({ inputs }) => inputs.symbol);
  const timeframe = useBot(({ inputs }) => inputs.timeframe);
  return (
    <>
      <SymbolField value={symbol} onChange={(value) => setInputs({ symbol: value })} />
      <TimeframeField value={timeframe} onChange={(value) => setInputs({ timeframe: value })} />
    </>
  );
});

const MoneyFields = memo(function MoneyFields() {
  const { amount, riskPercent, leverage } = useBot((state) => state.inputs);
  return (
    <>
      <NumberInput
        name="amount"
        label="Amount (USD)"
        value={amount}
        fallback={SIGNAL_DEFAULTS.amount}
        step={10}
        onChange={(value) => setInputs({ amount: value })}
      />
      <div className="grid gap-4 min-[22rem]:grid-cols-2">
        <NumberInput
          name="risk_percent"
          label="Risk (%)"
          value={riskPercent}
          fallback={SIGNAL_DEFAULTS.riskPercent}
          step={0.5}
          onChange={(value) => setInputs({ riskPercent: value })}
        />
        <NumberInput
          name="leverage"
          label="Leverage"
          value={leverage}
          fallback={SIGNAL_DEFAULTS.leverage}
          step={1}
          onChange={(value) => setInputs({ leverage: value })}
        />
      </div>
    </>
  );
});
