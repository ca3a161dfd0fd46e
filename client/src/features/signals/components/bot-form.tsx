import { Form } from "@base-ui/react/form";
import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import type { SignalRequest } from "@shared/contract/signal.ts";
import { Sparkles } from "lucide-react";
import { type FormEvent, lazy, memo, Suspense, useState } from "react";
import type { FormErrors } from "../../../lib/api/field-errors.ts";
import { useRealtime } from "../../../lib/realtime/store.ts";
import { Button } from "../../../ui/button.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { botMessages } from "../bot-messages.ts";
import { readInputs, setInputs, useBot } from "../bot-store.ts";
import { askSignal } from "../submit-request.ts";
import { NumberInput, SymbolField, TimeframeField } from "./form-fields.tsx";

/** Only some may send images; the others need not load what that takes. */
const ImageInput = lazy(async () => ({
  default: (await import("./image-input.tsx")).ImageInput,
}));

interface BotFormProps {
  analyzing: boolean;
  /** Called when a request has been sent off. */
  onAsked(): void;
}

/** What a signal is asked for with. */
export function BotForm({ analyzing, onAsked }: BotFormProps) {
  const chart = useChartImage();
  const [errors, setErrors] = useState<FormErrors>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (analyzing) return;
    const { request, errors: found } = readInputs(useBot.getState().inputs);
    setErrors(found ?? {});
    if (!request || chart.isBlocked) return;
    ask(request, chart);
    onAsked();
  };
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="sr-only">{botMessages.formTitle}</h2>
      <Form errors={errors} onSubmit={submit} className="flex flex-col gap-5">
        <MarketFields />
        <MoneyFields />
        {chart.isAllowed && (
          <Suspense fallback={<Skeleton className="h-40 rounded-control" />}>
            <ImageInput
              file={chart.image}
              credits={chart.credits}
              disabled={analyzing}
              onChange={chart.setImage}
            />
          </Suspense>
        )}
        <Button type="submit" size="lg" busy={analyzing} className="mt-1 w-full">
          {!analyzing && <Sparkles aria-hidden className="size-5" />}
          {analyzing ? botMessages.analyzing : botMessages.getSignal}
        </Button>
      </Form>
    </Card>
  );
}

/** Sends a request; an image is let go once it has been accepted, so that it is not paid for twice by mistake. */
function ask(
  request: SignalRequest,
  { image, setImage }: Pick<ReturnType<typeof useChartImage>, "image" | "setImage">,
): void {
  setInputs({
    symbol: request.symbol,
    amount: request.amount,
    riskPercent: request.risk_percent,
    leverage: request.leverage,
  });
  void askSignal({ request, image }).then(() => {
    if (!useBot.getState().failure) setImage(null);
  });
}

// The fields read what they show themselves: news of the account or of a request leaves them as they are.

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
        label={botMessages.amount}
        value={amount}
        fallback={SIGNAL_DEFAULTS.amount}
        step={10}
        onChange={(value) => setInputs({ amount: value })}
      />
      <div className="grid gap-4 min-[22rem]:grid-cols-2">
        <NumberInput
          name="risk_percent"
          label={botMessages.risk}
          value={riskPercent}
          fallback={SIGNAL_DEFAULTS.riskPercent}
          step={0.5}
          onChange={(value) => setInputs({ riskPercent: value })}
        />
        <NumberInput
          name="leverage"
          label={botMessages.leverage}
          value={leverage}
          fallback={SIGNAL_DEFAULTS.leverage}
          step={1}
          onChange={(value) => setInputs({ leverage: value })}
        />
      </div>
    </>
  );
});

/** The image attached to the next request, as far as its user may send one and can pay for it. */
function useChartImage() {
  const [file, setFile] = useState<File | null>(null);
  const isAllowed = useRealtime((live) => live.account?.allow_image_upload ?? false);
  const credits = useRealtime((live) => live.account?.image_credits ?? 0);
  const image = isAllowed ? file : null;
  return {
    image,
    setImage: setFile,
    isAllowed,
    credits,
    isBlocked: image !== null && credits <= 0,
  };
}
