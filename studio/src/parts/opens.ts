const BEGINNING = 80; // of a text that is searched for

/** The page that shows a record, by its kind; a passage is found by its text. */
export const OPENS: Record<string, (id: string, text: string) => string> = {
  memory: (id) => `/studio/memories?id=${encodeURIComponent(id)}`,
  fact: (id) => `/studio/facts?id=${encodeURIComponent(id)}`,
  message: (id) => `/studio/conversations?message=${encodeURIComponent(id)}`,
  summary: (id) => `/studio/conversations?summary=${encodeURIComponent(id)}`,
  insight: (id) => `/studio/insights?id=${encodeURIComponent(id)}`,
  passage: (_, text) => `/studio/documents?q=${encodeURIComponent(text.slice(0, BEGINNING))}`,
  document: (id) => `/studio/documents?id=${encodeURIComponent(id)}`,
  person: () => "/studio/people",
  device: () => "/studio/people",
  key: () => "/studio/keys",
  session: (id) => `/studio/conversations?id=${encodeURIComponent(id)}`,
};
