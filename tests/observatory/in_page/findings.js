// What axe finds that keeps people from using the page, by these rules of its, or by all.
(rules) => axe.run(document, {
  resultTypes: ["violations"], preload: false, iframes: false, ...(rules.length ? {runOnly: rules} : {}),
}).then(({violations}) => violations
  .filter(({impact}) => impact === "serious" || impact === "critical")
  .map(({id, impact, nodes}) => `${impact} ${id}: ` + nodes.slice(0, 3).map((node) =>
    `${node.target.join(" ")} (${node.any.concat(node.all).map(({message}) => message).join("; ")})`).join(" | ")))
