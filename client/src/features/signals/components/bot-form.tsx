import { Form } from "@base-ui/react/form";
import { Sparkles } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { FormErrors } from "../../../lib/api/field-errors.ts";
import { useMe } from "../../../lib/me.ts";
import { Button } from "../../../ui/button.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { readInputs, setInputs, useBot } from "../bot-store.ts";
import { submitRequest } from "../submit-request.ts";
import { NumberInput, TimeframeField } from "./form-fields.tsx";
import { SizingEffect } from "./sizing-effect.tsx";
import { SymbolField } from "./symbol-field.tsx";

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
        <SymbolField />
        <TimeframeField />
        <div className="flex flex-col gap-3">
          <div className="grid grid-cols-[1.35fr_1fr_1fr] gap-2">
            <NumberInput field="amount" label="Amount (USD)" />
            <NumberInput field="riskPercent" label="Risk (%)" />
            <NumberInput field="leverage" label="Leverage" />
          </div>
          <SizingEffect />
        </div>
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
