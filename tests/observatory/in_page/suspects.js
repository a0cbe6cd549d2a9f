// What is more than text, wherever it stands in the page: in shadow roots and templates as well.
() => {
  const FOREIGN = new Set(
    "iframe object embed base applet marquee listing math audio video foreignobject portal".split(" "),
  );
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const tag = element.localName;
      for (const {name, value} of element.attributes) {
        if (/^on/i.test(name)) found.push(`<${tag} ${name}>`);
        const leads = /^(href|src|srcset|action|formaction|data|poster|xlink:href|srcdoc|background)$/i.test(name);
        const scheme = value.replace(/[\u0000-\u0020]/g, "").toLowerCase();
        if (leads && /^(javascript|vbscript|file|blob:null)/.test(scheme)) found.push(`<${tag} ${name}="${value}">`);
        const isPicture = /^data:image\/(png|svg)/.test(scheme);
        if (leads && /^data:/.test(scheme) && !isPicture) found.push(`<${tag} ${name}="${value}">`);
        if (leads && tag !== "a" && /evil\.example/.test(value)) found.push(`<${tag} ${name}="${value}">`);
      }
      if (FOREIGN.has(tag.toLowerCase())) found.push(`<${tag}>`);
      if (tag === "script" && (!element.src || new URL(element.src).origin !== location.origin)) found.push("<script>");
      if (tag === "noscript" && element.parentElement !== document.body) found.push("<noscript>");
      if (tag === "form" && element.hasAttribute("action")) found.push("<form>");
      if (tag === "style" && /evil/.test(element.textContent)) found.push("<style>");
      if (tag === "meta" && element.httpEquiv !== "") found.push(`<meta http-equiv="${element.httpEquiv}">`);
      if (/evil|expression|background:#fff/.test(element.getAttribute("style") ?? "")) found.push(element.outerHTML);
      if (/^(__pwned|body|getElementById|location)$/.test(element.id || element.getAttribute("name")))
        found.push(element.outerHTML);
      if (tag === "a" && /^https?:/.test(element.getAttribute("href") ?? "")
        && !(element.rel.includes("noopener") && element.rel.includes("noreferrer"))) found.push(element.outerHTML);
      if (element.shadowRoot) look(element.shadowRoot);
      if (tag === "template") look(element.content);
    }
  };
  look(document);
  if ({}.polluted !== undefined || [].polluted !== undefined) found.push("a prototype is polluted");
  if (!(document.body instanceof HTMLBodyElement) || typeof document.getElementById !== "function")
    found.push("the document is clobbered");
  return found;
}
