/* SPDX-License-Identifier: MIT */
/* Findings of livetcp doctor on a host. */
(function (L) {
  const order = ["always", "loss", "start", "silence", "load", "rarely"];
  const when = { always: "always", loss: "at losses", start: "at the start", silence: "after silence", load: "under load", rarely: "rarely" };

  function finding(check) {
    const cost = check.cost || {}, price = L.known(cost.ms) ? `, ${L.ms(cost.ms)}${cost.round_trips > 0 ? " or more" : ""}` : "";
    return L.el("div", { class: "finding" }, L.el("h3", null, `${check.title}: ${check.found}`),
      L.el("p", { class: "when" }, `${when[cost.when] || cost.when || ""}${price}`), L.el("p", null, cost.text || ""),
      check.command ? L.el("pre", null, check.command) : null, L.el("p", { class: "source" }, check.source || ""));
  }

  function short(title, checks) {
    return checks.length ? L.el("details", null, L.el("summary", null, `${checks.length} ${title}`),
      L.el("dl", null, ...checks.flatMap((c) => [L.el("dt", null, c.title), L.el("dd", null, c.found)]))) : null;
  }

  L.doctorSection = function (documents) {
    if (!documents.length)
      return null;
    const section = L.section("doctor", "The host", "Settings that cost a live flow delay; numbers are for a round trip R of 100 ms and a packet every T = 20 ms.");
    for (const { name, document: d } of documents) {
      const of = (state) => (d.checks || []).filter((check) => check.state === state);
      const costs = of("costs").sort((a, b) => order.indexOf((a.cost || {}).when) - order.indexOf((b.cost || {}).when) || ((b.cost || {}).ms || 0) - ((a.cost || {}).ms || 0));
      const machine = d.machine || {};
      section.append(L.el("div", { class: "card", "data-doctor": L.stem(name) },
        L.el("p", null, `${costs.length} of ${L.many((d.checks || []).length, "check")} found something that costs delay` +
          ` (Linux ${machine.kernel || "?"}${machine.interface ? `, ${machine.interface}` : ""}).`),
        ...costs.map(finding), short("could not be found out", of("unknown")), short("cost nothing", of("ok"))));
    }
    return section;
  };
})(livetcp);
