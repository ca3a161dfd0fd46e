import { Form } from "@base-ui/react/form";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { SIGNAL_DEFAULTS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { newWatchlistItemSchema } from "@shared/contract/watchlist.ts";
import { Star } from "lucide-react";
import { useState } from "react";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { addItem } from "../../lib/watchlist.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { SymbolField } from "../../ui/symbol-field.tsx";
import { TimeframeField } from "../../ui/timeframe-field.tsx";
import { TermsFields } from "./terms-fields.tsx";

const STANDARD_TERMS = {
  min_confidence: 0,
  amount: SIGNAL_DEFAULTS.amount,
  risk_percent: SIGNAL_DEFAULTS.riskPercent,
  leverage: SIGNAL_DEFAULTS.leverage,
};

interface AddFormProps {
  isFull: boolean;
  minTimeframe: Timeframe;
}

export function AddForm({ isFull, minTimeframe }: AddFormProps) {
  const options = TIMEFRAMES.filter((name) => TIMEFRAME_MS[name] >= TIMEFRAME_MS[minTimeframe]);
  const [symbol, setSymbol] = useState("");
  const [chosen, setChosen] = useState<Timeframe>(SIGNAL_DEFAULTS.timeframe);
  const timeframe = options.includes(chosen) ? chosen : minTimeframe;
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    const item = await addItem(parseForm(newWatchlistItemSchema, form));
    setSymbol("");
    showToast({ title: `Watching ${item.symbol} ${item.timeframe}` });
  });
  return (
    <Card className="p-5 sm:p-6">
      <Form {...formProps} className="flex flex-col gap-5">
        <h2 className="text-lg font-semibold tracking-tight">Watch a market</h2>
        <SymbolField value={symbol} onChange={setSymbol} />
        <TimeframeField
          value={timeframe}
          options={options}
          error={formProps.errors.timeframe}
          onChange={setChosen}
        />
        <TermsFields terms={STANDARD_TERMS} />
        {isFull ? (
          <Alert tone="info">Your watchlist is full. Remove a market to add another one.</Alert>
        ) : (
          <ErrorAlert message={problem?.message} />
        )}
        <Button type="submit" size="lg" Icon={Star} busy={isPending} disabled={isFull}>
          Watch
        </Button>
      </Form>
    </Card>
  );
}
