import { Form } from "@base-ui/react/form";
import type { CreatedChannel } from "@shared/contract/channels.ts";
import type { ReactNode } from "react";
import { useFormRequest } from "../../../lib/api/forms.ts";
import { ErrorAlert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/text-field.tsx";

interface UrlFormProps {
  title: string;
  placeholder: string;
  hint: string;
  submit: string;
  add(form: object): Promise<CreatedChannel>;
  onCreated(channel: CreatedChannel): void;
  /** Further fields. */
  children?: ReactNode;
}

/** Adds a channel with an address that the user enters. */
export function UrlForm(props: UrlFormProps) {
  const { title, placeholder, hint, submit, add, onCreated, children } = props;
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    onCreated(await add(form));
  });
  return (
    <Form {...formProps} aria-label={title} className="flex animate-enter flex-col gap-4">
      <TextField
        name="url"
        label="URL"
        type="url"
        inputMode="url"
        placeholder={placeholder}
        autoComplete="off"
        hint={hint}
        aria-required
        autoFocus
      />
      {children}
      <ErrorAlert message={problem?.message} />
      <Button type="submit" className="self-start" busy={isPending}>
        {submit}
      </Button>
    </Form>
  );
}
