import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { clearAllHistory } from "./admin-api.ts";
import { AdminSection } from "./admin-section.tsx";
import { reasonOf, runAction } from "./run-action.ts";
import { confirmTexts, failureTexts, historyTexts as texts } from "./texts.ts";

/** The one action on all users' histories. */
export function HistorySection() {
  return (
    <AdminSection id="history" title={texts.title} lead={texts.lead}>
      <div>
        <ConfirmButton
          label={texts.clearAll}
          title={confirmTexts.clearAllTitle}
          run={() => runAction(clearAllHistory())}
          failureText={(error) => failureTexts.clearAll(reasonOf(error))}
        >
          {confirmTexts.clearAll}
        </ConfirmButton>
      </div>
    </AdminSection>
  );
}
