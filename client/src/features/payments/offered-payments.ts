import { offeredPaymentsSchema } from "@shared/contract/payment.ts";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";

export const useOfferedPayments = () =>
  useQuery({
    queryKey: ["payment-details"],
    queryFn: ({ signal }) =>
      api({ path: "/payment-details", schema: offeredPaymentsSchema, signal }),
  });
