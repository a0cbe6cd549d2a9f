import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** Puts the script and the style into the page itself: an MCP host takes one file, and loads nothing else. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["app.html"];
      if (page?.type !== "asset") return;
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        const tag = file.type === "chunk" ? "script" : "style";
        const text = file.type === "chunk" ? file.code : String(file.source);
        const link = new RegExp(`<(?:script|link)[^>]*(?:src|href)="[^"]*${name.replaceAll(".", "\\.")}"[^>]*>(?:</script>)?`);
        // What ends a script or a style within a string must not end the element that holds it.
        const inner = text.replaceAll(`</${tag}`, `<\\/${tag}`);
        const element = tag === "script" ? `<script type="module">${inner}</script>` : `<style>${inner}</style>`;
        if (!link.test(html)) this.error(`${name} stands nowhere in app.html`);
        html = html.replace(link, () => element);
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [svelte(), oneFile()],
  build: {
    outDir: "../src/thoughtbox/doors/observatory/page",
    emptyOutDir: false,
    modulePreload: false,
    cssCodeSplit: false,
    target: "es2022",
    rolldownOptions: { input: "app.html", output: { codeSplitting: false } },
  },
});
