import { Field } from "@base-ui/react/field";
import { Form } from "@base-ui/react/form";
import { NumberField } from "@base-ui/react/number-field";
import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import {
  type FittedPosition,
  fitPosition,
  type SizingInput,
} from "@shared/contract/position-size.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { Sparkles, Star } from "lucide-react";
import { type FormEvent, memo, useState } from "react";
import { SymbolField, TimeframeField } from "../../../domain/market-fields.tsx";
import { useMe } from "../../../domain/me.ts";
import { unitName } from "../../../domain/symbols.ts";
import type { FormErrors } from "../../../lib/api/errors.ts";
import { formatUnits, formatUsd } from "../../../lib/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { fieldClass } from "../../../ui/field-class.ts";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { useDemoStatus, useSignal } from "../../signals/api.ts";
import { tradeLevels } from "../../signals/levels.ts";
import {
  INPUT_LIMITS,
  isOfMarket,
  readInputs,
  setInputs,
  shownSignal,
  stakeOf,
  useBot,
} from "../bot-store.ts";
import { submitRequest } from "../submit-request.ts";
import { useWatching } from "./watching.ts";

/** What the numbers of the form mean for the trade that is shown, or else for the next signal. */
function SizingEffect() {
  const inputs = useBot((bot) => bot.inputs);
  const stake = stakeOf(inputs);
  const shown = useBot(shownSignal);
  const isShown = shown !== undefined && isOfMarket(shown, inputs);
  const { data: signal } = useSignal(isShown ? shown.id : null);
  const position = signal?.analysis ? resize(signal.analysis, stake) : null;
  const { amount, riskPercent, leverage } = stake;
  const risk = position?.dollarRisk ?? (amount * riskPercent) / 100;
  return (
    <div role="status" className="rounded-control bg-canvas px-3 py-2">
      <p className="mb-1.5 text-xs text-ink-muted">
        {signal?.analysis && position
          ? `For the ${signal.analysis.final_signal} of ${signal.symbol} shown`
          : "For your next signal"}
      </p>
      <dl className="figures flex flex-wrap justify-between gap-x-2 gap-y-1 text-[0.8125rem] whitespace-nowrap">
        <Fact
          label={position?.reducedFrom ? "Risk, reduced" : "Risk at the stop"}
          value={formatUsd(risk)}
        />
        {signal && position ? (
          <>
            <Fact
              label="Size"
              value={`${formatUnits(round(position.units))} ${unitName(signal.symbol)}`}
            />
            <Fact label="Margin" value={formatUsd(position.requiredMargin)} />
          </>
        ) : (
          <Fact label="Largest position" value={formatUsd(amount * leverage)} />
        )}
      </dl>
    </div>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-ink-faint">{label}</dt>
      <dd className="font-medium">{value}</dd>
    </div>
  );
}

const SIZE_DIGITS = 5;
const round = (units: number) => Number(units.toPrecision(SIZE_DIGITS));

type SizedTrade = Pick<
  Analysis,
  "entry" | "stop_loss" | "take_profit" | "suggested_units" | "estimated_dollar_risk"
>;

/** The trade with another amount, risk or leverage. What a unit is worth follows from the server's own sizing. */
export function resize(trade: SizedTrade, stake: SizingInput): FittedPosition | null {
  const levels = tradeLevels(trade);
  if (!levels || trade.suggested_units === 0) return null;
  const riskPerUnit = trade.estimated_dollar_risk / trade.suggested_units;
  const usdPerQuote = riskPerUnit / Math.abs(levels.entry - levels.stopLoss);
  return fitPosition(stake, { riskPerUnit, pricePerUnit: levels.entry * usdPerQuote });
}

// The fields subscribe to their own inputs, so they do not render again with the account or a request.

const setSymbol = (symbol: string) => setInputs({ symbol });

function BotSymbolField() {
  const symbol = useBot(({ inputs }) => inputs.symbol);
  return <SymbolField value={symbol} onChange={setSymbol} />;
}

const BotTimeframeField = memo(function BotTimeframeField() {
  const timeframe = useBot(({ inputs }) => inputs.timeframe);
  return (
    <TimeframeField
      value={timeframe}
      onChange={(next) => setInputs({ timeframe: next })}
      end={<WatchButton />}
    />
  );
});

const FORMAT: Intl.NumberFormatOptions = { maximumFractionDigits: 8 };

interface NumberInputProps {
  field: keyof typeof INPUT_LIMITS;
  label: string;
}

/** A number that stays within its range. Left empty, it becomes its default. */
const NumberInput = memo(function NumberInput({ field, label }: NumberInputProps) {
  const value = useBot(({ inputs }) => inputs[field]);
  const onChange = (next: number | null) => setInputs({ [field]: next });
  return (
    <Field.Root className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>{label}</Field.Label>
      <NumberField.Root
        value={value}
        onValueChange={onChange}
        locale="en-US"
        format={FORMAT}
        step="any"
        {...INPUT_LIMITS[field]}
      >
        <NumberField.Input
          onBlur={() => value === null && onChange(SIGNAL_DEFAULTS[field])}
          className={`${fieldClass.input} figures`}
        />
      </NumberField.Root>
    </Field.Root>
  );
});

/** Only some users may send images. */
const ImageInput = lazyComponent(() => import("./image-input.tsx"), "ImageInput", {
  fallback: <Skeleton className="h-40 rounded-control" />,
});

export function BotForm({ analyzing, onSubmitted }: { analyzing: boolean; onSubmitted(): void }) {
  const [file, setFile] = useState<File | null>(null);
  const [errors, setErrors] = useState<FormErrors>({});
  const { allow_image_upload: allowsImage = false, image_credits: credits = 0 } = useMe() ?? {};
  const { isRules } = useDemoStatus();
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
    <Card className="p-5">
      <h2 className="sr-only">Signal settings</h2>
      <Form errors={errors} onSubmit={submit} className="flex flex-col gap-5">
        <BotSymbolField />
        <BotTimeframeField />
        <div className="flex flex-col gap-3">
          <div className="grid grid-cols-[1.35fr_1fr_1fr] gap-2">
            <NumberInput field="amount" label="Amount (USD)" />
            <NumberInput field="riskPercent" label="Risk (%)" />
            <NumberInput field="leverage" label="Leverage" />
          </div>
          <SizingEffect />
        </div>
        {allowsImage && (
          <ImageInput
            file={image}
            credits={credits}
            isRead={!isRules}
            disabled={analyzing}
            onChange={setFile}
          />
        )}
        <div className="submit-bar">
          <Button type="submit" size="lg" busy={analyzing} className="w-full">
            {!analyzing && <Sparkles aria-hidden className="size-5" />}
            {analyzing ? "Analyzing..." : "Get Signal"}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** Watches the market of the form with its sizing, or ends that. */
function WatchButton() {
  const symbol = useBot(({ inputs }) => inputs.symbol.trim().toUpperCase());
  const timeframe = useBot(({ inputs }) => inputs.timeframe);
  const { list, isWatched, toggle } = useWatching({ symbol, timeframe });
  return (
    <button
      type="button"
      aria-pressed={isWatched}
      // Unknown until the list has been read.
      disabled={!list || symbol === ""}
      onClick={toggle}
      title={isWatched ? "Stop watching" : "Get a signal at each close"}
      className="-my-1 flex items-center gap-1.5 rounded-md px-1.5 py-1 text-sm font-medium text-ink-muted transition-colors hover:text-ink disabled:invisible"
    >
      <Star aria-hidden className={`size-4 ${isWatched ? "fill-current text-wait" : ""}`} />
      Watch{" "}
      <span className="sr-only">
        {symbol} {timeframe}
      </span>
    </button>
  );
}
