/* SPDX-License-Identifier: MIT */
/* Sorts the files by what they are, and lets each part of the page show its own. A part that fails
 * says so in its place and takes no other with it. */
(function (L) {
  const data = JSON.parse(document.getElementById("data").textContent);
  const sections = document.getElementById("sections"), problems = [];
  const of = (schema) => data.files.filter((file) => file.document.schema === `livetcp/${schema}/1`);
  const documents = (schema) => of(schema).map((file) => file.document);

  function attempt(what, make) {
    try {
      return make();
    } catch (error) {
      problems.push(`${what}: ${error.message}`);
      return L.el("section", null, L.el("p", { class: "problem" }, `This part could not be shown (${what}: ${error.message}).`));
    }
  }

  function headline(runs, probes, doctors, models) {
    const withNumbers = runs.filter((run) => run.results.length);
    if (withNumbers.length) {
      const last = withNumbers.reduce((a, b) => (b.results.length >= a.results.length && b.loss >= a.loss ? b : a));
      const text = L.sayWithin(last.results.map(L.scheme), last.results.map((r) => L.summary(r).p99_ms));
      if (text)
        return [text, `${L.setting(last)}.`];
    }
    if (probes.length && (probes[0].document.verdict || {}).sentence)
      return [probes[0].document.verdict.sentence, ""];
    if (models.length)
      return [`${L.many(models.length, "path")} computed`, ""];
    if (doctors.length)
      return [`${(doctors[0].document.checks || []).filter((c) => c.state === "costs").length} settings of this host cost live media delay`, ""];
    return ["Live media over TCP", ""];
  }

  const runs = attempt("bench", () => of("bench").map((file) => L.run(file.name, file.document)).sort((a, b) => a.size - b.size || a.rtt - b.rtt || a.loss - b.loss));
  const raws = of("report-raw").map((file) => ({ stem: L.stem(file.name), document: file.document }));
  const models = documents("model-delay"), regions = documents("model-region");
  const known = Array.isArray(runs) ? runs : [];
  attempt("colours", () => L.theme.reserve(known.flatMap((run) => run.results.map(L.scheme))));

  const [head, lead] = attempt("headline", () => headline(known, of("probe"), of("doctor"), models));
  document.getElementById("headline").textContent = data.title || head;
  document.getElementById("lead").textContent = data.title ? `${head} ${lead}` : lead;
  document.title = data.title || "LiveTCP report";

  const made = [
    attempt("delay", () => L.benchSection(known, raws, models)),
    attempt("loss", () => L.lossSection(known, models)),
    attempt("region", () => L.regionSection(known, regions, models)),
    attempt("model", () => L.modelSection(models, known)),
    attempt("startup", () => L.startupSection(documents("model-startup"))),
    attempt("probe", () => L.probeSection(of("probe"))),
    attempt("papers", () => L.papersSection(documents("papers"))),
    attempt("doctor", () => L.doctorSection(of("doctor"))),
  ].filter(Boolean);
  sections.append(...made);
  const contents = made.filter((section) => section.id);
  if (contents.length > 1)
    document.getElementById("contents").append(...contents.map((section) =>
      L.el("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)));
  document.getElementById("foot").append(...attempt("foot", () => L.foot(data)));
  L.theme.start();
  document.documentElement.dataset.problems = problems.join("\n");
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = "yes"; }));
})(livetcp);
