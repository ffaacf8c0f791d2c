import { createTheme, type MantineColorsTuple } from "@mantine/core";

const tide: MantineColorsTuple = [
  "#edf6f4", "#dcebe8", "#b6d6d1", "#8dc0b9", "#6baea5", "#4f9a90", "#3b837a", "#2b6763", "#20524f", "#143b39",
];
const ink: MantineColorsTuple = [
  "#e8eaec", "#c9ced2", "#a3abb2", "#7e8890", "#4b565e", "#38434b", "#2a333a", "#1e262b", "#171d21", "#101518",
];

const brick: MantineColorsTuple = [
  "#fbefee", "#f3d9d6", "#e6b0ab", "#d8857e", "#cb6057", "#bd4339", "#b2352b", "#a5281f", "#8a2019", "#6d1812",
];

export const theme = createTheme({
  primaryColor: "tide",
  primaryShade: 7,
  colors: { tide, red: brick, dark: ink },
  black: "#1b2428",
  defaultRadius: "md",
  cursorType: "pointer",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: "0.75rem", sm: "0.875rem", md: "0.9375rem", lg: "1.125rem", xl: "1.375rem" },
  lineHeights: { xs: "1.4", sm: "1.5", md: "1.6", lg: "1.5", xl: "1.35" },
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.75rem", lineHeight: "1.2" },
      h2: { fontSize: "1.125rem", lineHeight: "1.35" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
    },
  },
  components: {
    Button: { defaultProps: { size: "sm" } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.4 } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
});

/** A colour for each layer, readable as text on both backgrounds. */
export const layerColour: Record<string, string> = {
  fact: "var(--layer-fact)",
  memory: "var(--layer-memory)",
  message: "var(--layer-message)",
  summary: "var(--layer-summary)",
  insight: "var(--layer-insight)",
  passage: "var(--layer-passage)",
};
