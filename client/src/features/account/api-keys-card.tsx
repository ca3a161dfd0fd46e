import { Form } from "@base-ui/react/form";
import {
  API_KEY_SCOPES,
  type ApiKey,
  type ApiKeyScope,
  apiKeyListSchema,
  type CreatedApiKey,
  createdApiKeySchema,
  MAX_API_KEYS,
  newApiKeySchema,
} from "@shared/contract/api-keys.ts";
import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { api } from "../../lib/api/client.ts";
import { hasCode } from "../../lib/api/errors.ts";
import { type FormFields, parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { apiOrigin } from "../../lib/env.ts";
import { formatDateTime, formatDay } from "../../lib/format.ts";
import { refetch } from "../../lib/query-client.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { Labelled, Select } from "../../ui/fields.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { EndableItem } from "./endable-item.tsx";

const KEYS = ["api-keys"];

const ADDRESSES = [
  { label: "REST API", url: apiOrigin },
  { label: "MCP", url: `${apiOrigin}/mcp` },
] as const;

const SCOPE_TEXTS: Record<ApiKeyScope, string> = {
  read: "Read your signals, results and account",
  signals: "Request signals, within your limits",
  watchlist: "Change your watchlist",
};

const EXPIRIES = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "Never" },
] as const;

export function ApiKeysCard() {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const [isOpen, setOpen] = useState(false);
  const keys = useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => api({ path: "/me/api-keys", schema: apiKeyListSchema, signal }),
  });
  const show = (key: CreatedApiKey) => {
    setCreated(key);
    setOpen(false);
  };
  return (
    <Card id="api-keys" className="flex scroll-mt-24 flex-col gap-4 p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">API keys</h2>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          Your own programs, and language models over MCP, use your account with a key. No key can
          change your account. All keys end when your password changes.
        </p>
      </div>
      <dl className="flex flex-col gap-2 text-sm">
        {ADDRESSES.map(({ label, url }) => (
          <div key={label} className="flex gap-x-2 max-sm:flex-col sm:items-center">
            <dt className="w-20 shrink-0 text-ink-faint">{label}</dt>
            <dd className="flex min-w-0 items-center gap-1">
              <code className="min-w-0 wrap-anywhere">{url}</code>
              <CopyButton isIcon text={url} name={`the address of ${label}`} />
            </dd>
          </div>
        ))}
      </dl>
      {created && <NewKey created={created} onDone={() => setCreated(null)} />}
      <QueryView
        query={keys}
        failed="Failed to load your API keys."
        skeleton={<Skeleton className="h-14" />}
      >
        {(list) => (
          <>
            {list.keys.length > 0 && (
              <ul className="flex flex-col divide-y divide-line">
                {list.keys.map((key) => (
                  <KeyItem key={key.id} of={key} />
                ))}
              </ul>
            )}
            {isOpen ? (
              <NewKeyForm onCreated={show} onCancel={() => setOpen(false)} />
            ) : (
              <Button
                Icon={KeyRound}
                variant="secondary"
                className="self-start"
                onClick={() => setOpen(true)}
              >
                Create a key
              </Button>
            )}
          </>
        )}
      </QueryView>
    </Card>
  );
}

function NewKey({ created, onDone }: { created: CreatedApiKey; onDone(): void }) {
  return (
    <>
      <Alert tone="success" role="status" title={`The key “${created.name}” was created`}>
        Copy it now: it is not shown again.
      </Alert>
      <code className="rounded-control border border-line-strong bg-canvas p-3 text-sm break-all">
        {created.key}
      </code>
      <div className="flex flex-wrap gap-3">
        <CopyButton text={created.key} name="the key" />
        <Button size="sm" onClick={onDone}>
          I have saved it
        </Button>
      </div>
    </>
  );
}

async function createKey(form: FormFields): Promise<CreatedApiKey> {
  const body = parseForm(newApiKeySchema, {
    name: form.name,
    scopes: API_KEY_SCOPES.filter((scope) => form[`scope-${scope}`] === "on"),
    ...(form.expires && { expires_in_days: Number(form.expires) }),
  });
  const created = await api({
    method: "POST",
    path: "/me/api-keys",
    body,
    schema: createdApiKeySchema,
  });
  await refetch({ queryKey: KEYS });
  return created;
}

interface NewKeyFormProps {
  onCreated(key: CreatedApiKey): void;
  onCancel(): void;
}

function NewKeyForm({ onCreated, onCancel }: NewKeyFormProps) {
  const request = useFormRequest(async (form) => onCreated(await createKey(form)));
  const { formProps, isPending, problem } = request;
  return (
    <Form {...formProps} className="flex max-w-md flex-col gap-4">
      <TextField
        name="name"
        label="Name"
        placeholder="My trading bot"
        maxLength={50}
        autoComplete="off"
        aria-required
      />
      <fieldset className="flex flex-col gap-2">
        <legend className={`${fieldClass.label} mb-2`}>The key may</legend>
        {API_KEY_SCOPES.map((scope) => (
          <label key={scope} className="flex items-center gap-2.5 text-sm pointer-coarse:min-h-10">
            <input
              type="checkbox"
              name={`scope-${scope}`}
              defaultChecked={scope === "read"}
              className="size-4 accent-accent"
            />
            {SCOPE_TEXTS[scope]}
          </label>
        ))}
        {formProps.errors.scopes && <p className={fieldClass.error}>{formProps.errors.scopes}</p>}
      </fieldset>
      <Labelled label="Expires after">
        {(id) => (
          <Select id={id} name="expires" defaultValue="90">
            {EXPIRIES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Labelled>
      <ErrorAlert
        message={
          hasCode(problem, "too-many-keys")
            ? `You can have ${MAX_API_KEYS} API keys. End one first.`
            : problem?.message
        }
      />
      <div className="flex gap-3">
        <Button type="submit" busy={isPending}>
          Create
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}

function KeyItem({ of: key }: { of: ApiKey }) {
  const { id, name, prefix, scopes } = key;
  return (
    <li className="py-3 first:pt-0">
      <EndableItem path="/me/api-keys/:id" id={id} listKey={KEYS} name={`the key ${name}`}>
        <div className="min-w-0 grow">
          <p className="truncate text-sm font-medium">{name}</p>
          <p className="figures text-sm text-ink-faint">
            <code>{prefix}…</code> · {scopes.join(", ")}
          </p>
          <p className="text-sm text-ink-faint">{lifeOf(key)}</p>
        </div>
      </EndableItem>
    </li>
  );
}

function lifeOf({ expires_at, last_used_at }: ApiKey): string {
  const used = last_used_at ? `Last used ${formatDateTime(last_used_at)}` : "Never used";
  if (!expires_at) return `${used}, does not expire`;
  const hasExpired = Date.parse(expires_at) <= Date.now();
  return `${used}, ${hasExpired ? "expired" : "expires"} ${formatDay(expires_at)}`;
}
