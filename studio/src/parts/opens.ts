/** The page that shows a record, by its kind. */
export const OPENS: Record<string, (id: string) => string> = {
  memory: (id) => `/studio/memories?id=${encodeURIComponent(id)}`,
  fact: (id) => `/studio/facts?id=${encodeURIComponent(id)}`,
  message: (id) => `/studio/conversations?message=${encodeURIComponent(id)}`,
  summary: () => "/studio/conversations?show=summaries",
  insight: (id) => `/studio/insights?id=${encodeURIComponent(id)}`,
  passage: () => "/studio/documents",
  document: () => "/studio/documents",
  session: (id) => `/studio/conversations?id=${encodeURIComponent(id)}`,
};
