import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import { useSession } from "../shell/session";

/** Who lives in the space, as choices of a field, and the name of each by id. */
export function usePeople() {
  const { space } = useSession();
  const people = useQuery({ queryKey: ["people", space], queryFn: () => call("GET /api/people"), staleTime: 60_000 });
  const items = people.data?.items ?? [];
  return {
    choices: items.map((one) => ({ value: one.id, label: one.displayName })),
    nameOf: (id: string | null) => items.find((one) => one.id === id)?.displayName ?? null,
  };
}
