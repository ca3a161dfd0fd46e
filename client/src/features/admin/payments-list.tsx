import { PLANS, planById } from "@shared/contract/plans.ts";
import {
  type ListedPayment,
  type PaymentFilter,
  type PaymentList,
  planIdSchema,
} from "@shared/contract/subscription.ts";
import { useMutation } from "@tanstack/react-query";
import { Download, Receipt } from "lucide-react";
import type { FormEvent } from "react";
import { z } from "zod";
import { formatCount, formatDay, formatPlural } from "../../lib/format.ts";
import { paramsOfForm, useFilterParams } from "../../lib/use-filter-params.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button, TextLink } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { ImageDialog } from "../../ui/dialog.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { Labelled, Select } from "../../ui/fields.tsx";
import { EmptyState, NextPage } from "../../ui/load-states.tsx";
import { AdminSection } from "./admin-section.tsx";
import { exportPayments, usePayments } from "./api.ts";
import { formatFee } from "./users/subscription-terms.tsx";
import { ProofIcon, readAgain } from "./users/user-proof.tsx";

const absent = undefined;
/** A day in UTC, as the months of the totals are. */
const daySchema = z.iso.date().optional().catch(absent);
const filterSchema = z.object({
  search: z.string().trim().min(1).max(100).optional().catch(absent),
  plan: planIdSchema.optional().catch(absent),
  proof: z.enum(["with", "without"]).optional().catch(absent),
  from: daySchema,
  to: daySchema,
});
type Filter = z.infer<typeof filterSchema>;

/** The last day is included. */
function queryOf({ from, to, ...filter }: Filter): PaymentFilter {
  const midnight = (day: string, daysLater: number) =>
    new Date(Date.parse(`${day}T00:00:00Z`) + daysLater * 86_400_000).toISOString();
  return {
    ...filter,
    ...(from && { from: midnight(from, 0) }),
    ...(to && { to: midnight(to, 1) }),
  };
}

/** All payments, with a filter in the address, totals of months and an export. */
export function PaymentsList() {
  const [params, setParams] = useFilterParams();
  const filter = filterSchema.parse(Object.fromEntries(params));
  const query = usePayments(queryOf(filter));
  const payments = query.data?.pages.flatMap((page) => page.payments);
  const last = query.data?.pages.at(-1);
  const saving = useMutation({ mutationFn: () => exportPayments(queryOf(filter)) });
  return (
    <AdminSection
      id="payments"
      title="Payments"
      lead="What administrators have accepted. Dates are in UTC."
      action={
        <Button
          Icon={Download}
          variant="secondary"
          size="sm"
          busy={saving.isPending}
          onClick={() => saving.mutate()}
        >
          Export CSV
        </Button>
      }
    >
      <ErrorAlert title="The export failed." message={saving.error?.message} />
      <FilterForm
        key={params.toString()}
        filter={filter}
        onApply={(form) => setParams(paramsOfForm(form))}
        onReset={() => setParams({})}
      />
      {last && last.total > 0 && <MonthTotals months={last.months} />}
      {payments && payments.length > 0 && <PaymentTable payments={payments} />}
      {payments?.length === 0 && (
        <EmptyState
          Icon={Receipt}
          title={params.size > 0 ? "No payments match this filter." : "No payments yet."}
          text="A payment is listed once an approval or a renewal names a plan."
          className="min-h-40"
        />
      )}
      <NextPage
        query={query}
        failed="Failed to load the payments."
        showsReason
        skeleton={<Skeleton className="h-64 rounded-card" />}
      >
        Show more payments
      </NextPage>
      {payments && last && payments.length < last.total && (
        <p role="status" className="figures text-center text-sm text-ink-muted">
          {formatCount(payments.length)} of {formatCount(last.total)}
        </p>
      )}
    </AdminSection>
  );
}

interface FilterFormProps {
  filter: Filter;
  onApply(form: HTMLFormElement): void;
  onReset(): void;
}

const days = [
  ["from", "From"],
  ["to", "To"],
] as const;

/** A choice applies at once, a text with Enter. */
function FilterForm({ filter, onApply, onReset }: FilterFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onApply(event.currentTarget);
  };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <form
      aria-label="Filter payments"
      onSubmit={submit}
      onChange={({ currentTarget, target }) => {
        if (target instanceof HTMLSelectElement) onApply(currentTarget);
      }}
      className="grid grid-cols-2 items-end gap-3 md:grid-cols-3 xl:grid-cols-[1.6fr_1fr_1fr_1fr_1fr_auto] *:min-w-0 max-md:*:first:col-span-2"
    >
      <Labelled label="Search payments">
        {(id) => (
          <input
            id={id}
            name="search"
            type="search"
            defaultValue={filter.search}
            placeholder="Name, email or sender"
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            className={`${fieldClass.input} min-w-0`}
          />
        )}
      </Labelled>
      <Labelled label="Plan">
        {(id) => (
          <Select id={id} name="plan" defaultValue={filter.plan ?? ""}>
            <option value="">All plans</option>
            {PLANS.map((plan) => (
              <option key={plan.id} value={plan.id}>
                {plan.name}
              </option>
            ))}
          </Select>
        )}
      </Labelled>
      <Labelled label="Proof">
        {(id) => (
          <Select id={id} name="proof" defaultValue={filter.proof ?? ""}>
            <option value="">With or without</option>
            <option value="with">With proof</option>
            <option value="without">Without proof</option>
          </Select>
        )}
      </Labelled>
      {days.map(([name, label]) => (
        <Labelled key={name} label={label}>
          {(id) => (
            <input
              id={id}
              name={name}
              type="date"
              defaultValue={filter[name]}
              className={`${fieldClass.input} min-w-0`}
            />
          )}
        </Labelled>
      ))}
      <div className="flex gap-2">
        <Button type="submit" variant="secondary" className="h-11">
          Apply
        </Button>
        {isFiltered && (
          <Button variant="ghost" className="h-11" onClick={onReset}>
            Reset
          </Button>
        )}
      </div>
    </form>
  );
}

const monthFormat = new Intl.DateTimeFormat(undefined, {
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Revenue of each month, the highest as the longest bar; scrolls sideways. */
function MonthTotals({ months }: Pick<PaymentList, "months">) {
  const highest = Math.max(...months.map((month) => month.revenue_usd));
  const sum = months.reduce((total, month) => total + month.revenue_usd, 0);
  return (
    <section
      aria-label="Monthly totals"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it sideways
      tabIndex={0}
      className="overflow-x-auto rounded-card border border-line bg-surface"
    >
      <dl className="figures flex w-max min-w-full divide-x divide-line text-sm">
        <div className="min-w-36 px-4 py-3">
          <dt className="text-ink-muted">{formatPlural(months.length, "month")}</dt>
          <dd className="mt-0.5 text-lg font-semibold">{formatFee(sum)}</dd>
        </div>
        {months.map(({ month, payments, revenue_usd }) => (
          <div key={month} className="min-w-30 px-4 py-3">
            <dt className="text-ink-muted">{monthFormat.format(new Date(`${month}-01`))}</dt>
            <dd className="mt-0.5 text-lg font-semibold">{formatFee(revenue_usd)}</dd>
            <dd className="text-xs text-ink-muted">{formatPlural(payments, "payment")}</dd>
            <dd aria-hidden className="mt-1.5 h-1 overflow-hidden rounded-full bg-raised">
              <div
                className="h-full rounded-full bg-accent"
                style={{ width: `${highest && (100 * revenue_usd) / highest}%` }}
              />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const cell = "px-2 py-0 first:pl-3 last:pr-3 sm:px-3 sm:first:pl-4 sm:last:pr-4";

const PaymentTable = ({ payments }: { payments: readonly ListedPayment[] }) => (
  <div className="rounded-card border border-line bg-surface">
    <table aria-label="Payments" className="figures w-full table-fixed text-left text-sm">
      <thead>
        <tr className="h-10 border-b border-line text-xs text-ink-faint *:font-medium">
          <th scope="col" className={`${cell} w-28 max-sm:hidden`}>
            Accepted
          </th>
          <th scope="col" className={cell}>
            User
          </th>
          <th scope="col" className={`${cell} w-34 sm:w-40`}>
            Plan
          </th>
          <th scope="col" className={`${cell} w-18 text-right sm:w-24`}>
            Amount
          </th>
          <th scope="col" className={`${cell} w-60 max-lg:hidden`}>
            Period
          </th>
          <th scope="col" className={`${cell} w-16 sm:w-52`}>
            Proof
          </th>
          <th scope="col" className={`${cell} w-28 max-xl:hidden`}>
            By
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {payments.map((payment) => (
          <PaymentRow key={payment.id} payment={payment} />
        ))}
      </tbody>
    </table>
  </div>
);

function PaymentRow({ payment }: { payment: ListedPayment }) {
  const { username, plan, months, price_usd, revoked_at, proof } = payment;
  return (
    <tr className="h-13">
      <td className={`${cell} whitespace-nowrap text-ink-muted max-sm:hidden`}>
        {formatDay(payment.accepted_at)}
      </td>
      <th scope="row" className={`${cell} truncate font-medium`}>
        <TextLink to={`/admin/users?user=${encodeURIComponent(username)}`} className="text-ink">
          {username}
        </TextLink>
        <span className="block text-xs font-normal text-ink-muted sm:hidden">
          {formatDay(payment.accepted_at)}
        </span>
      </th>
      <td className={`${cell} truncate`}>
        {planById(plan).name}, {formatPlural(months, "month")}
      </td>
      <td className={`${cell} text-right font-semibold`}>{formatFee(price_usd)}</td>
      <td className={`${cell} whitespace-nowrap max-lg:hidden`}>
        {formatDay(payment.started_at)} – {formatDay(payment.ends_at)}
        {revoked_at && (
          <span className="block text-xs text-wait">Revoked {formatDay(revoked_at)}</span>
        )}
      </td>
      <td className={cell}>
        {proof ? (
          <span className="flex items-center gap-2">
            <ImageDialog
              src={proof.url}
              title={`Proof from ${proof.sender_name}, ${formatDay(proof.submitted_at)}`}
              onExpired={readAgain}
              className="size-9 text-ink-muted hover:text-ink"
            >
              <ProofIcon />
            </ImageDialog>
            <span className="min-w-0 truncate max-sm:hidden">{proof.sender_name}</span>
          </span>
        ) : (
          <span className="text-ink-faint">None</span>
        )}
      </td>
      <td className={`${cell} truncate text-ink-muted max-xl:hidden`}>{payment.by}</td>
    </tr>
  );
}
