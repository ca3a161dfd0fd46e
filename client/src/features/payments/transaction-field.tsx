import { TextField } from "../../ui/text-field.tsx";
import { useOfferedPayments } from "./offered-payments.ts";

interface TransactionFieldProps {
  value: string;
  onChange(value: string): void;
}

/** Asks for the hash of a payment in USDT, if the seller accepts them. */
export function TransactionField({ value, onChange }: TransactionFieldProps) {
  const { usdt } = useOfferedPayments().data ?? {};
  if (!usdt) return null;
  const networks = usdt.map(({ network }) => network).join(" or ");
  return (
    <TextField
      name="transaction_hash"
      label="Transaction hash (optional)"
      hint={`If you paid in USDT on ${networks}. Your wallet or exchange shows it, also as TXID.`}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onValueChange={onChange}
    />
  );
}
