/** Our own icons: strokes in a square of 24. */
const strokes = {
  home: "M4 11.5 12 5l8 6.5M6.5 10v9h11v-9M10 19v-5h4v5",
  memories: "M5 5h14v11H9.5L5 19.5zM8.5 9h7M8.5 12.2h4.5",
  facts: "M6 4h9l3.5 3.5V20H6zM9 11h6M9 14.5h6M14.5 4v4h4",
  playground: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.3 15.3 20 20M8 10.5h5M10.5 8v5",
  map: "M5 6.5 9.5 4.5l5 2.5L19 5v12.5l-4.5 2-5-2.5L5 19zM9.5 4.5V17M14.5 7v12.5",
  messages: "M4 5h12v8H9l-3.5 3v-3H4zM19 9v8.5h-1.5v2.5l-3-2.5H10",
  documents: "M5 4.5h5.5A2.5 2.5 0 0 1 12 6a2.5 2.5 0 0 1 1.5-1.5H19V18h-5a2 2 0 0 0-2 1.5A2 2 0 0 0 10 18H5zM12 6v13",
  insights: "M12 4a5.5 5.5 0 0 1 3 10v2.5H9V14a5.5 5.5 0 0 1 3-10zM9.5 19.5h5",
  people: "M9 11.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM3.5 19c.4-3.2 2.6-5 5.5-5s5.1 1.8 5.5 5M15.5 5.6a3 3 0 0 1 0 5.7M17 14.3c2 .5 3.2 2.2 3.5 4.7",
  texts: "M5 6h14M5 10h14M5 14h9M5 18h6",
  engine: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 3.5v3M12 17.5v3M3.5 12h3M17.5 12h3M6 6l2.1 2.1M15.9 15.9 18 18M18 6l-2.1 2.1M8.1 15.9 6 18",
  journal: "M12 20a8 8 0 1 0-7.7-5.8M4 19.5v-5h5M12 8v4.5l3 2",
  audit: "M12 3.5 19 6v6c0 4-2.8 7-7 8.5C7.8 19 5 16 5 12V6zM9 12l2.2 2.2L15.2 10",
  keys: "M8.5 15.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12.3 12H20v3M16.5 12v2.5",
  transfer: "M7 4v12M7 16l-3-3M7 16l3-3M17 20V8M17 8l-3 3M17 8l3 3",
  erase: "M9 19.5 4 14.5l9-10 6.5 6.5-8 8.5zM9 19.5h10.5M8.5 9.5l6.5 6.5",
  settings: "M5 7h8M17 7h2M5 12h2M11 12h8M5 17h8M17 17h2M15 5v4M9 10v4M15 15v4",
  plus: "M12 5v14M5 12h14",
  pin: "M9 4h6l-.7 6.5L17 13v1.5H7V13l2.7-2.5zM12 14.5V20",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  language: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM4 12h16M12 4c2.5 2.3 3.5 5 3.5 8s-1 5.7-3.5 8c-2.5-2.3-3.5-5-3.5-8s1-5.7 3.5-8z",
  leave: "M14 5H5.5v14H14M10 12h10M20 12l-3.5-3.5M20 12l-3.5 3.5",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.3 15.3 20 20",
  more: "M5 12a1 1 0 1 0 2 0 1 1 0 0 0-2 0M11 12a1 1 0 1 0 2 0 1 1 0 0 0-2 0M17 12a1 1 0 1 0 2 0 1 1 0 0 0-2 0",
  setup: "M12 4.5v3M12 7.5l6 3.2v5.6l-6 3.2-6-3.2v-5.6zM6 10.7l6 3.2 6-3.2M12 13.9v5.6",
  zoomIn: "M12 6v12M6 12h12",
  zoomOut: "M6 12h12",
  pencil: "M5 19l.8-3.6L15.6 5.6a1.9 1.9 0 0 1 2.8 2.8L8.6 18.2zM13.8 7.4l2.8 2.8",
  close: "M6 6l12 12M18 6 6 18",
} as const;

export type IconName = keyof typeof strokes;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={strokes[name]} />
    </svg>
  );
}
