/** @type {import("@sveltejs/vite-plugin-svelte").SvelteConfig} */
export default {
  compilerOptions: {
    runes: true,
    // Elements are made one by one, never from a string of HTML: the page lives under `require-trusted-types-for 'script'`.
    fragments: "tree",
  },
};
