import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The page as the server sends it: one HTML file, and hashed files that may be cached for ever. Nothing is inlined, so that
// the page can live under a Content-Security-Policy without `unsafe-inline`.
export default defineConfig(({ mode }) => ({
  base: "/",
  plugins: [svelte()],
  build: {
    outDir: "../src/thoughtbox/doors/observatory/page",
    emptyOutDir: true,
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: true,
  },
  server: {
    // `npx vite` beside a running Observatory.
    proxy: { "/api": "http://127.0.0.1:1729", "/ws": { target: "ws://127.0.0.1:1729", ws: true } },
  },
  // Svelte's own code for the browser, not for a server, is what tests mount.
  resolve: mode === "test" ? { conditions: ["browser"] } : {},
}));
