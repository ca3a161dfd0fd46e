import { Form } from "@base-ui/react/form";
import {
  confirmTwoFactorSchema,
  disableTwoFactorSchema,
  recoveryCodesSchema,
  startTwoFactorSchema,
  type TwoFactorSetup,
  twoFactorSetupSchema,
} from "@shared/contract/authentication.ts";
import { ShieldCheck, ShieldOff } from "lucide-react";
import { useState } from "react";
import { z } from "zod";
import { refetchMe, useMe } from "../../domain/me.ts";
import { api } from "../../lib/api/client.ts";
import { hasCode } from "../../lib/api/errors.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { useSession } from "../../lib/session.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { PasswordField, TextField } from "../../ui/text-field.tsx";

export function TwoFactorCard() {
  const twoFactor = useMe()?.two_factor;
  const mustEnrol = useSession((session) => session.mustEnrol);
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <Card className="flex flex-col gap-4 p-6">
      <h2 className="text-lg font-semibold tracking-tight">Two-factor authentication</h2>
      {mustEnrol && (
        <Alert tone="warning" role="status">
          Administrators must turn on two-factor authentication before they can continue.
        </Alert>
      )}
      {twoFactor === undefined && <Skeleton className="h-20" />}
      {codes.length > 0 && <RecoveryCodes codes={codes} onDone={() => setCodes([])} />}
      {codes.length === 0 && twoFactor?.enabled === true && (
        <Enabled codesLeft={twoFactor.recovery_codes_left} />
      )}
      {codes.length === 0 && twoFactor?.enabled === false && <Disabled onEnabled={setCodes} />}
    </Card>
  );
}

function Disabled({ onEnabled }: { onEnabled(codes: readonly string[]): void }) {
  const [asksForPassword, setAsksForPassword] = useState(false);
  const { formProps, isPending, problem, reply } = useFormRequest((form) => {
    const body = parseForm(startTwoFactorSchema, form);
    return api({ method: "POST", path: "/me/two-factor", body, schema: twoFactorSetupSchema });
  });
  if (reply) return <Setup setup={reply} onEnabled={onEnabled} />;
  const needsPassword = hasCode(problem, "reauthentication-required");
  if (!asksForPassword && needsPassword) setAsksForPassword(true);
  return (
    <Form {...formProps} className="flex max-w-md flex-col gap-4">
      <p className="flex items-center gap-1.5 text-sm font-medium text-wait">
        <ShieldOff aria-hidden className="size-4" />
        Off
      </p>
      <p className="text-sm leading-relaxed text-ink-muted text-pretty">
        Protect your account with a code from an authenticator app, in addition to your password.
      </p>
      {asksForPassword && (
        <PasswordField name="password" label="Your password" autoComplete="current-password" />
      )}
      {needsPassword ? (
        <Alert tone="info" role="status">
          {problem?.message}
        </Alert>
      ) : (
        <ErrorAlert message={problem?.message} />
      )}
      <Button type="submit" variant="secondary" className="self-start" busy={isPending}>
        Turn on
      </Button>
    </Form>
  );
}

interface SetupProps {
  setup: TwoFactorSetup;
  onEnabled(codes: readonly string[]): void;
}

function Setup({ setup, onEnabled }: SetupProps) {
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    const body = parseForm(confirmTwoFactorSchema, form);
    const path = "/me/two-factor/confirm";
    const reply = await api({ method: "POST", path, body, schema: recoveryCodesSchema });
    onEnabled(reply.recovery_codes);
    await refetchMe();
  });
  return (
    <Form {...formProps} className="flex flex-col gap-4">
      <p className="text-sm leading-relaxed text-ink-muted text-pretty">
        Scan the code with your authenticator app, or enter the key. Then enter the 6 digits that
        the app shows.
      </p>
      {/* An image shows the SVG without running anything in it. */}
      <img
        src={`data:image/svg+xml;utf8,${encodeURIComponent(setup.qr_svg)}`}
        alt="QR code with the key below"
        className="size-44 self-center rounded-lg bg-white p-2"
      />
      <div className="flex items-center justify-between gap-3">
        <code className="min-w-0 break-all text-sm">{setup.secret}</code>
        <CopyButton text={setup.secret} name="the key" />
      </div>
      <TextField
        name="code"
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        aria-required
      />
      <ErrorAlert message={problem?.message} />
      <Button type="submit" className="self-start" busy={isPending}>
        Confirm
      </Button>
    </Form>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const mustEnrol = useSession((session) => session.mustEnrol);
  const finish = () => {
    onDone();
    // Connects again, now with the events for administrators.
    if (mustEnrol) window.location.assign("/admin");
  };
  return (
    <>
      <Alert tone="success" role="status" title="Two-factor authentication is on">
        Save these recovery codes now: they are not shown again. Each works once instead of a code
        if you lose your device.
      </Alert>
      <ul aria-label="Recovery codes" className="grid grid-cols-1 gap-1 text-sm sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <CopyButton text={codes.join("\n")} name="the recovery codes" />
        <Button size="sm" onClick={finish}>
          I have saved them
        </Button>
      </div>
    </>
  );
}

function Enabled({ codesLeft }: { codesLeft: number }) {
  const [turnsOff, setTurnsOff] = useState(false);
  return (
    <>
      <p className="flex items-center gap-1.5 text-sm font-medium text-buy">
        <ShieldCheck aria-hidden className="size-4" />
        On
      </p>
      <p className="text-sm leading-relaxed text-ink-muted text-pretty">
        {codesLeft} of 10 recovery codes are left.
        {codesLeft < 3 && " Turn two-factor authentication off and on again to get new ones."}
      </p>
      {turnsOff ? (
        <TurnOffForm />
      ) : (
        <Button variant="secondary" className="self-start" onClick={() => setTurnsOff(true)}>
          Turn off
        </Button>
      )}
    </>
  );
}

function TurnOffForm() {
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    const body = parseForm(disableTwoFactorSchema, form);
    await api({ method: "DELETE", path: "/me/two-factor", body, schema: z.undefined() });
    await refetchMe();
  });
  return (
    <Form {...formProps} className="flex flex-col gap-4">
      <PasswordField name="password" label="Password" autoComplete="current-password" />
      <TextField
        name="code"
        label="Code or recovery code"
        autoComplete="one-time-code"
        aria-required
      />
      <ErrorAlert message={problem?.message} />
      <Button type="submit" variant="danger" className="self-start" busy={isPending}>
        Turn off
      </Button>
    </Form>
  );
}
