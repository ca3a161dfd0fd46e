import { Button } from "./button.tsx";

/** The buttons at the end of a form that is open in place. */
export const FormActions = ({ busy, onCancel }: { busy: boolean; onCancel(): void }) => (
  <div className="flex justify-end gap-3">
    <Button variant="ghost" size="sm" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" size="sm" busy={busy}>
      Save
    </Button>
  </div>
);
