import { cleanupImages } from "../../../lib/api/cleanup-images.ts";
import { errorText } from "../../../lib/api/errors.ts";
import { Card } from "../../../ui/card.tsx";
import { ConfirmButton } from "../../../ui/confirm-button.tsx";
import { botMessages, adminToolMessages as texts } from "../bot-messages.ts";

/** What administrators can do from the bot page. */
export function AdminTools() {
  return (
    <Card className="flex flex-col items-start gap-3 p-5 sm:p-6">
      <div>
        <h2 className="font-semibold tracking-tight">{texts.title}</h2>
        <p className="mt-1 text-sm text-ink-muted text-pretty">{texts.lead}</p>
      </div>
      <ConfirmButton
        label={texts.cleanup}
        variant="secondary"
        title={texts.cleanupTitle}
        run={async () => (await cleanupImages()).detail}
        failureText={(error) => texts.failed(errorText(error, botMessages.unknownError))}
      >
        {texts.cleanupLoss}
      </ConfirmButton>
    </Card>
  );
}
