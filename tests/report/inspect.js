/* SPDX-License-Identifier: MIT */
/* Put into a page by page_test.py: looks at what was drawn, uses it as a reader would, and hands what it
 * found, as JSON, to inspected(), which the browser has for the test. */
(function () {
  const errors = [], found = {};
  addEventListener("error", (event) => errors.push(event.message));
  addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));
  addEventListener("securitypolicyviolation", (event) => errors.push(`blocked ${event.blockedURI}`));

  /* How much of the plot's own area is not background, and in how many colours. */
  function ink(figure) {
    const canvas = figure.querySelector("canvas");
    if (!canvas)
      return null;
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Map();
    for (let i = 0; i < pixels.length; i += 4)
      if (pixels[i + 3] > 200) {
        const colour = `${pixels[i] >> 4},${pixels[i + 1] >> 4},${pixels[i + 2] >> 4}`;
        colours.set(colour, (colours.get(colour) || 0) + 1);
      }
    return { pixels: [...colours.values()].reduce((a, b) => a + b, 0), colours: [...colours].filter(([, n]) => n > 40).length };
  }

  const entries = (figure) => [...figure.querySelectorAll(".legend button")];
  const name = (entry) => entry.querySelector("span").textContent;

  /* The pointer in the middle of the plot. */
  function hover(figure) {
    const over = figure.querySelector(".u-over"), box = over.getBoundingClientRect();
    const at = { bubbles: true, clientX: box.left + box.width * 0.4, clientY: box.top + box.height / 2 };
    for (const type of ["mouseenter", "mousemove"])
      over.dispatchEvent(new MouseEvent(type, at));
  }

  function describe(figure) {
    return {
      id: figure.dataset.chart, drawn: Number(figure.dataset.drawn || 0), title: figure.querySelector("h3").textContent,
      sentence: (figure.querySelector("p") || {}).textContent || "", legend: entries(figure).map(name), ink: ink(figure),
      cells: [...figure.querySelectorAll("td")].map((td) => td.textContent),
      wide: figure.scrollWidth > figure.clientWidth + 1,
    };
  }

  /* Until what was done has been drawn: a frame's observers run after its callbacks, so that what they
   * change is there in the next. */
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const pause = async () => { await frame(); await frame(); await frame(); };
  async function inspect() {
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
    await pause();
    const figures = [...document.querySelectorAll("figure")];
    found.figures = figures.map(describe);
    /* Heights of the cards that begin at one height on the page. */
    found.rows = [...document.querySelectorAll(".charts")].flatMap((charts) => {
      const rows = new Map();
      for (const card of charts.children) {
        const box = card.getBoundingClientRect();
        rows.set(Math.round(box.top), [...(rows.get(Math.round(box.top)) || []), box.height]);
      }
      return [...rows.values()];
    });
    found.problems = document.documentElement.dataset.problems;
    found.sections = [...document.querySelectorAll("main section")].map((section) => section.id);
    found.headline = document.getElementById("headline").textContent;
    found.text = document.body.innerText;
    found.theme = document.documentElement.dataset.theme;
    found.requests = performance.getEntriesByType("resource").map((entry) => entry.name);
    found.bold = document.querySelectorAll("main b").length;
    found.overflow = document.documentElement.scrollWidth > innerWidth + 1;

    const figure = figures.find((one) => one.plotted && entries(one).length > 1);
    if (figure) {
      hover(figure);
      await pause();
      found.hovered = entries(figure).map((entry) => entry.querySelector("output").textContent);
      found.where = figure.querySelector(".at").textContent;
      const before = ink(figure);
      entries(figure)[0].click();
      await pause();
      found.hiding = { pressed: entries(figure)[0].getAttribute("aria-pressed"), before, after: ink(figure) };
    }
    document.getElementById("theme").click();
    await pause();
    found.otherTheme = document.documentElement.dataset.theme;
    found.redrawn = figures.map(ink).filter((one) => one).map((one) => one.pixels);
    const choice = document.querySelector("#loss .choice");
    if (choice) {
      choice.querySelectorAll("button")[2].click();
      await pause();
      found.chosen = document.querySelector("#loss figure p").textContent;
    }
  }

  addEventListener("load", async () => {
    try {
      while (document.documentElement.dataset.ready !== "yes" && !errors.length)
        await pause();
      await inspect();
    } catch (error) {
      errors.push(`inspection: ${error.message}`);
    }
    inspected(JSON.stringify({ ...found, errors }));
  });
})();
