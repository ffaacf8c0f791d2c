import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "/studio/",
  plugins: [react()],
  html: { cspNonce: "NONCE-OF-THIS-PAGE" },
  build: {
    outDir: "../src/bethink/studio_built",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
  test: { testTimeout: 60_000 },
  server: { proxy: { "/api": "http://127.0.0.1:8420", "/readyz": "http://127.0.0.1:8420" } },
});
